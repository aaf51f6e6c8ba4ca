// Package batch computes many sequences in one step.
//
// # The idea
//
// A model that computes one token of one sequence reads all its weights for it.
// Computing a token of sixteen sequences reads them once as well, and takes little
// longer. So a server should always compute for everybody who waits. Static
// batching forms a group and waits until the last of it is done; continuous
// batching fills a place at once when it becomes free (Yu et al., "Orca: A
// Distributed Serving System for Transformer-Based Generative Models", 2022).
//
// A Policy plans: which sequences get memory, and how many pending tokens of each
// are computed next. A Runner executes: the work becomes a ragged batch, the model
// computes it, the counters move, and each sequence that has nothing left pending
// gets its next token. Static and Continuous are the two simplest policies;
// package scheduler has the one of a busy server.
//
// # The counters
//
// A sequence has tokens, of which the first computed have keys and values:
//
//	pending = len(tokens) − computed
//
// Prefill is many pending, decode is one, a preempted sequence has computed 0, one
// that found its beginning in the cache starts with some. There are no phases to
// be kept in step with these, and no code that asks for one.
//
// A static group of n sequences with lengths m(i) takes max m(i) steps and gives
// sum m(i) tokens: with lengths that differ, as answers do, half the places are
// empty. Continuous batching takes about sum m(i) / n.
//
// # What it trades away
//
// Throughput is bought with the time between two tokens: a step with sixteen
// sequences is slower than one with one. Continuous computes a new prompt in one
// step, for which all others wait; package scheduler cuts it into chunks.
//
// What a sequence generates depends on its own Spec alone, not on the policy,
// the cache, its neighbours, or how often it was preempted.
//
// # Common mistakes
//
//   - Waiting for a full batch before starting: latency for nothing.
//   - Padding all to the longest. Chunks here have the lengths they have.
//   - Sharing a Sampler that counts: the tokens then depend on who came before.
//     Those of package sampling do not count.
//   - Calling a policy or a sequence from two goroutines: all that is mutable
//     belongs to the one that schedules.
package batch
