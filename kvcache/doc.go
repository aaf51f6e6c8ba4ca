// Package kvcache is the contract between attention and the memory of keys and
// values, with its simplest keeper, Contiguous: one slab per sequence.
//
// # The idea
//
// Attention at a position looks at a key and a value of every position before it.
// They never change once they are computed, so they are kept: with the cache a new
// token costs one row through the network and one reading of what is kept;
// without it the whole sequence would be computed again. That is why memory, and
// not arithmetic, decides how many people a server can answer at once.
//
// A transformer writes a key and a value for every position with Put and reads
// them back as spans: stretches of positions whose rows lie one after another.
// Contiguous memory answers with one span, paged memory with one per block, so
// one attention kernel serves both and the model never sees a block table.
//
// # The mathematics
//
// For L layers, H heads of keys and values, D numbers in a row and b bytes each, a
// position takes
//
//	2 · L · H · (D·b + 4) bytes
//
// the 4 for the scale of a row. SmolLM2 135M (30 layers, 3 heads, 64 numbers)
// takes 23.8 kB in 16 bits: 4,096 positions are 97 MB, as much as its weights in
// 4 bits.
//
// A row x is kept as integers q and one scale s, x(i) ≈ s·q(i), with
// s = max |x(i)| / 127 in 8 bits. In 16 bits s is the larger of max |x(i)| / 32767
// and |x| / 46000: then the product of two rows fits 32 bits, by the inequality of
// Cauchy and Schwarz. A score is the product of two scales and of two rows of
// integers.
//
// # What it trades away
//
// Rows are integers of 16 bits (I16, the default) or of 8 (Q8, half the memory),
// because at long contexts a decode step reads more keys and values than weights.
// Attention multiplies them as they lie: processors multiply and add 16-bit
// integers at twice the rate of float32 numbers, and sums of integers are exact,
// hence the same in any order. Half precision would take the room of I16 and keep
// fewer digits, since every number has an exponent of its own where a row needs
// one: its errors in scores are three times as large for rows of 64 numbers, 1.5
// times for rows of 256. F32 rows serve reference runs.
//
// A slab is taken whole when a sequence begins, for all it could come to need. It
// is fast and obvious, and wastes what is not used: package paged does better.
//
// # Common mistakes
//
//   - Putting a position before Grow made room for it: writes cannot fail, so room
//     is reserved before a step.
//   - Taking a span for what was written: it may reach past it, into rows of
//     whoever had the memory before. Attention knows its own position.
//   - Publishing a token whose rows are not computed yet: others would read them.
//   - Sharing prefixes between users who must not learn of each other: whether a
//     prefix was there shows in the time that an answer takes. Give them different
//     salts.
package kvcache
