// Package transformer computes: ids and their positions go in, with the keys
// and values of what came before; logits come out. It knows decoder-only
// transformers of the llama kind, from GGUF files and Hugging Face folders, and computes prompts and
// single tokens of many sequences in one ragged batch.
//
// # The idea
//
// A token is a row of numbers. Each layer adds two things to it: what attention
// found in the rows of earlier positions, and what a small network makes of the
// row by itself. After the last layer the row says what comes next. Forward in
// model.go is the whole pass, readable from top to bottom; each kind of layer has a
// file of its own.
//
// # The mathematics
//
// For the row x of a position, in each layer:
//
//	h = norm(x)                          norm(x) = x / sqrt(mean of x² + ε) · g      RMSNorm
//	q, k, v = Wq·h, Wk·h, Wv·h           cut into heads
//	q, k = rotate(q), rotate(k)          RoPE: pairs of numbers turn by pos · base^(-2i/d)
//	a = softmax(q·K' / sqrt(d)) · V      K, V: rows of this position and of those before
//	x = x + Wo·a
//	h = norm(x)
//	x = x + Wd·(silu(Wg·h) * (Wu·h))     SwiGLU; gemma has GELU for silu
//
// and at the end logits = W·norm(x). Several query heads share one head of keys and
// values (grouped-query attention; Ainslie et al., 2023). The product of two
// rotated rows depends on the distance of their positions alone (Su et al.,
// "RoFormer", 2021). What Qwen and Gemma have beside this (biases, norms of q and
// k, windows, further norms) is in the layers' files, and optional.
//
// A token costs about two operations per weight and reads each weight once. Alone
// it waits for memory; many tokens share one reading. So a prompt of 512 tokens is
// computed at many times the rate of single tokens, and 16 sequences that decode
// together cost little more than one: that is what batching is for.
//
// # What it trades away
//
// Weights stay in the few bits of the file. The fast path rounds activations to 8
// bits, 32 at a time with a scale, so that products are of integers;
// `minillm eval --kl` measures what that costs. Options.Reference computes in
// float32 instead, slowly: it is what the fast path is tested against.
//
// The bits of a result do not depend on company: the logits of a sequence are
// the same alone and in any batch, in chunks of any lengths, with any number of
// workers, on a given processor. That forbids kernels whose order of summation
// follows the number of rows, and makes every test of the floors above an equality.
//
// # Common mistakes
//
//   - Asking for all logits of a prompt where one row is wanted: at a large
//     vocabulary that is most of the work. The length of Chunk.Logits says how many.
//   - Two chunks of one sequence out of order, or twice in a batch.
//   - Positions that do not follow each other: a chunk begins where the KV ends.
//   - More workers than cores: they wait for each other at every layer.
package transformer
