package guard

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/minillm/serve/internal/wire"
)

// Origins lets pages of the given origins, such as "https://example.org", ask
// and read answers; "*" is any. What a browser sends for other sites' pages is
// refused, unless it only reads, in which case the browser keeps the answer
// from them. So is what it sends for a page whose name was made to point to this
// machine; the origin of a proxy on this machine must therefore be given, too.
// Programs that are no browsers are not concerned.
func Origins(next http.Handler, origins []string) (http.Handler, error) {
	for _, o := range origins {
		if u, err := url.Parse(o); o != "*" && (err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != o) {
			return nil, fmt.Errorf("guard: origin %q: want one such as https://example.org, or *", o)
		}
	}
	protect := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		trusted := origin != "" && (slices.Contains(origins, origin) || slices.Contains(origins, "*"))
		if trusted {
			share(w.Header(), r)
		}
		switch {
		case trusted && r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "":
			w.WriteHeader(http.StatusNoContent)
		case !trusted && (protect.Check(r) != nil || rebound(r)):
			wire.Refuse(w, r, &wire.Error{Status: http.StatusForbidden, Type: "invalid_request_error", Code: "cross_origin",
				Message: "this server does not answer pages of other sites than those it was told of"})
		default:
			next.ServeHTTP(w, r)
		}
	}), nil
}

// rebound reports whether a page of another site passes for the server's own
// ("DNS rebinding"): it came over this machine's loopback, which public names
// don't lead to.
func rebound(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	u, err := url.Parse(r.Header.Get("Origin"))
	return local != nil && local.IP.IsLoopback() && (err != nil || public(u.Hostname()))
}

// public reports whether a name may be anybody's: those without a dot, and of
// some domains, are of the machine or its network.
func public(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if net.ParseIP(host) != nil || !strings.Contains(host, ".") {
		return false
	}
	return !slices.Contains([]string{"localhost", "local", "internal"}, host[strings.LastIndexByte(host, '.')+1:])
}

// share tells the browser that a page of another origin may ask and read.
func share(h http.Header, r *http.Request) {
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, Minillm-Ignored-Fields, Retry-After")
	if r.Method == http.MethodOptions {
		h.Set("Access-Control-Allow-Methods", "GET, POST")
		h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		h.Set("Access-Control-Max-Age", "600")
	}
}
