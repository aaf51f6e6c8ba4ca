// Package batch computes many sequences in one step.
//
// A [Policy] plans: which sequences get memory, and how many pending tokens of
// each are computed next. A [Runner] executes: the work becomes a ragged batch,
// the model computes it, the counters move, and each sequence that has nothing
// left pending gets its next token. [Static] and [Continuous] are the two
// simplest policies; package scheduler has the one of a busy server.
//
// What a sequence generates depends on its own Spec alone, not on the policy,
// the cache, its neighbours, or how often it was preempted.
package batch
