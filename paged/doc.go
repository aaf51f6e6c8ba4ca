// Package paged keeps keys and values in blocks: the contract of kvcache for many
// sequences that grow, end and share at any time.
//
// # The idea
//
// A sequence has a Table of blocks rather than a stretch of memory, so nothing is
// reserved for what it may become, and nothing is lost but part of its last block
// (Kwon et al., "Efficient Memory Management for Large Language Model Serving with
// PagedAttention", 2023). It is what an operating system does with pages.
//
// Full blocks, once published, are found again by the tokens that they hold, and
// shared among sequences: a system prompt that a thousand chats begin with lies in
// memory once and is computed once. Freed blocks stay findable until they are
// reused: free memory is the prefix cache. The block that was freed first is
// reused first, and a sequence frees its last block first, so what goes first is
// what is least likely to be asked for.
//
// # The arithmetic
//
// Position p of a sequence lies in slot
//
//	table[p / size] · size + p mod size
//
// With blocks of size positions, n positions take ceil(n/size) blocks, and on
// average half a block is lost to each sequence. A block is found by its tokens and
// by the serial number of the publication of the block before it, so a key stands
// for the whole beginning. Keys are compared, not only their hashes: a collision
// would serve one user's rows to another.
//
// # What it trades away
//
// Attention is called once per block instead of once, which small blocks make
// noticeable; large ones waste more of the last block and find less in common.
// DefaultBlock is between. Whole blocks are shared only, so up to size−1 tokens of a common beginning are computed again.
//
// Nothing is copied on write: only full blocks are shared, and those are never
// written again. A fork is an Open on the same tokens.
//
// # Common mistakes
//
//   - Counting free blocks as unused: most of them hold prefixes. Stats tells used,
//     cached and free apart.
//   - Putting what differs (a date, a user's name) at the beginning of a prompt:
//     nothing behind it is shared.
//   - Keying blocks by their own tokens only: the same words at another place have
//     other keys and values.
package paged
