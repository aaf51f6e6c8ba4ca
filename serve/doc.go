// Package serve turns requests into streams, over the engine that computes them
// together.
//
// # The idea
//
// Engine is the loop, and the one owner of policy, cache and sequences: take
// what came in, schedule, step, emit. It deals in ids. Text stands in front and
// deals in text: whole characters, stop strings, usage. HTTP handlers are in the
// packages below this one; each can be mounted in any net/http server.
//
//	caller ── Submit ──► inbox ──► policy ──► step ──► stream ──► caller
//	                      one goroutine: Engine.Run
//
// Nothing mutable has two owners, so there is no lock over a forward pass and no
// order of locks to learn. Other goroutines put requests into the inbox and read
// streams.
//
// # Time and queues
//
// What a client sees is the sum of three: the wait in the queue, the prompt
// (TTFT ends here), and one step for every token after the first (ITL). By
// Little's law a server that answers r requests a second with a latency of w
// seconds has r·w requests in it. Beyond what it can compute, a longer queue adds
// latency and not one token: so the queue is bounded, in requests and in tokens,
// and what does not fit is refused at once with ErrBusy.
//
// # What it trades away
//
// The engine never waits for a client. A stream is a list that grows as tokens
// come, as long as the answer at most; a slow reader costs memory and not time. A
// stop string ends a request from outside, which costs a step or two that were
// already under way.
//
// # Common mistakes
//
//   - Printing ids one by one: an id may be half a character. Text emits whole ones.
//   - Not leaving the loop when the client is gone. Pass the request's context:
//     its end cancels the request at the next step.
//   - Retrying ErrBusy at once: it is the server's word that it has enough to do.
//   - Blocking in an Observer: it is called from the loop.
package serve
