// Package tokenizer turns text into the numbers that a language model reads, and back.
//
// # The idea
//
// A model knows a fixed list of pieces of text, its vocabulary, and sees a text
// as the places of its pieces in this list: token ids. Characters would make
// texts long and words would make the list endless, so most models use pieces in
// between, found by byte-pair encoding: start with single bytes or characters, count
// which two neighbours occur together most often in much text, make them one
// piece, count again. [Train] learns a vocabulary so. To encode, the merges are
// done in the order in which they were learned, so that "lowest" may become "low"
// and "est" though it was never seen, and what looks like nothing that was seen
// still comes out as bytes.
//
// There are two families of such vocabularies. [BPE] first cuts text into words
// by a pattern and then merges bytes within each. [SPM] merges characters over
// the whole text, spaces included. Both come out of a model file by [Load]. [Vocab]
// is a third, for learning and for tests, which is small enough to be written by hand.
//
// # Control tokens
//
// Some ids are no text but mean something: here begins a message, here ends a
// generation. They are spelled, as "<|im_start|>", only for people. A user who
// writes this spelling must not be able to begin a message of the system, so
// Encode takes text for what it is, and only EncodeSpecial, for text that one
// has written oneself, takes spelled tokens for what they mean. [EncodeMixed]
// is for text that is partly one's own.
//
// User-defined tokens are something else: text that the vocabulary's makers
// never want taken apart, such as "<tool_call>" or a run of spaces. Encode and
// EncodeSpecial both find them. Tokens that files call user-defined but that
// are spelled like "<|so|>" divide texts into turns and calls; they are kept
// from users as control tokens are, and still shown to readers.
//
// # Pieces are not characters
//
// An id may stand for half a character. Who prints ids one by one prints
// garbage between them; [Stream] holds back what is not whole. Decoding gives
// bytes for the same reason. All valid text comes back exactly (but for U+2581 in
// SPM vocabularies, which write spaces so); bytes that are not UTF-8 are encoded
// as U+FFFD, one for each, as by a conversion to []rune.
//
// # Speed
//
// Words that are one piece are found with one look-up. The others are merged:
// short ones by looking at all pairs, long ones with a heap, in n log n steps
// for n bytes. Patterns are scanners that never go back, not regular expressions.
// So no text is slow: a million times the same letter takes a fraction of a second.
//
// # Common mistakes
//
//   - A prompt that was cut into parts and encoded part by part has other ids at
//     the cuts than the whole, and a model likes them less.
//   - A prompt that ends in a space asks the model for a word without one, for
//     words have theirs in front.
//   - BOS is wanted before raw text by some models, by some not at all, and
//     templates often write it: see [Tokenizer.BOS].
//   - One end token is not enough: see [Tokenizer.Stops].
package tokenizer
