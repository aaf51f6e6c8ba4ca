// Package minillm runs language models inside Go programs, on the CPU, without
// cgo: it opens the model files that people have (GGUF, and Hugging Face folders of
// safetensors), serves many requests at once from one paged cache, and is meant to
// be read.
//
//	m, err := minillm.Open("model.gguf", minillm.Options{})
//	if err != nil {
//		return err
//	}
//	defer m.Close()
//	reply, err := m.Generate(ctx, "Once upon a time", minillm.Request{MaxTokens: 64})
//
// # The floors
//
// Packages are layered bottom-up. Each is usable alone, and each owns one arrow
// of the way from text to text:
//
//	text → ids → sequence → work → chunks → keys and values → logits → id → text
//
//	sampling      logits → id: temperature, top-k, top-p, min-p, penalties
//	tokenizer     text ↔ ids: byte-level BPE, SentencePiece-style BPE, streaming decoding
//	tokenizer/chat  messages → prompt ids, by the model's own template
//	kvcache       the contract of KV memory, and its simplest keeper: one slab per sequence
//	paged         the same contract in blocks: block tables, prefix sharing, LRU reuse
//	transformer   ids + KV → logits: one Forward over a ragged batch of chunks
//	batch         many sequences, one step: static and continuous batching
//	scheduler     the policy of a busy server: token budget, chunked prefill, priorities, preemption
//	serve         requests → streams: the engine loop, stop strings, whole characters, HTTP
//	serve/remote  the same front door over somebody else's server
//	bench         load → TTFT, ITL, TPOT, throughput, of any server
//	tinymodel     a small model of this project's own, embedded: something to begin with
//
// paged and scheduler are leaves in the other direction: nobody depends on
// them, this package plugs them in. Swapping one is one line.
//
// # The walk of a request
//
//  1. Messages or a prompt become ids (tokenizer, tokenizer/chat).
//  2. Engine.Submit validates, queues or refuses (serve).
//  3. Policy.Schedule admits the sequence, where a shared prefix counts as
//     computed, reserves blocks and hands out a share of the step's token
//     budget (scheduler, batch, paged).
//  4. The Runner turns work into the chunks of a ragged batch (batch).
//  5. Forward embeds; per layer it normalises, projects to queries, keys and
//     values, rotates, stores, attends over spans, and runs the feed-forward
//     network; it projects only the wanted rows to logits (transformer).
//  6. computed grows; full blocks are published for others to share (batch, paged).
//  7. Where nothing is left pending a Sampler picks the next id (sampling).
//  8. The id goes to the request's stream; the text layer emits whole
//     characters and watches for stop strings (serve, tokenizer).
//
// A sequence has no phases. It has tokens, of which the first computed ones
// have keys and values. Prefill is many pending tokens, decode one; a
// preempted sequence has none computed, a prefix hit some before its first step.
//
// What is summed in which order depends on positions alone, never on batch,
// chunk or block boundaries. So the logits of a sequence are the same bits
// alone or batched, paged or contiguous, chunked or whole, preempted or not.
//
// # Glossary
//
//   - block: a fixed number of positions of KV memory; block table: the blocks of
//     one sequence, in order; slot: where one position lies, block*size + offset.
//   - prefill: computing the tokens of a prompt; decode: computing one token at a
//     time; chunked prefill: a long prompt computed over several steps.
//   - ragged batch: chunks of different lengths and sequences computed in one pass.
//   - static batching: a group starts and ends together; continuous batching: a
//     free place is filled at once.
//   - preemption by recompute: a sequence gives its memory back and computes its
//     keys and values again later.
//   - prefix sharing: sequences that begin with the same tokens share blocks.
//   - TTFT: time to first token; ITL: inter-token latency, the gap between two
//     tokens; TPOT: time per output token after the first, on average.
//   - greedy: the token with the highest logit, always.
package minillm
