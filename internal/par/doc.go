// Package par runs a function on a fixed team of workers that go through it
// together.
//
// A region is single program, multiple data: every worker runs the same
// function, takes its own share of the work ([Worker.Share]) and meets the
// others where results are needed ([Worker.Barrier]). A whole forward pass is
// one region, so that starting and joining, which cost microseconds as soon as
// the Go scheduler is involved, are paid once a step instead of once a matrix.
//
// Waiting is in three stages. A worker first polls with the processor's pause
// instruction, which answers within a cache miss; then it also yields to the
// scheduler between polls, so that a busy program gets its processors back;
// after about a millisecond it blocks, and an idle team costs nothing.
package par
