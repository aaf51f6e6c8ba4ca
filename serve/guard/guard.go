// Package guard has what stands in front of the handlers of a server that
// others can reach: API keys, other sites' pages, lines of a log, and the
// recovery from panics. Each wraps an http.Handler and works alone; together
// they go
//
//	h = guard.Keys(h, keys, "/health")
//	h, err = guard.Origins(h, origins)
//	h = guard.Recover(h, logger)
//	h = guard.Log(h, logger)
package guard
