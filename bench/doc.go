// Package bench measures servers of language models: it sends load to a
// [Target] and says how long people would have waited.
//
// A target is anything that answers a request in pieces: [HTTP] for every
// server that speaks OpenAI's chat completions, or an engine in the same
// process behind an adaptor of six lines. The package imports nothing else of
// this module.
//
//	traces := bench.Run(ctx, &bench.HTTP{URL: "http://localhost:8080"}, bench.Load{
//		Requests: bench.Prompts{Input: bench.Exactly(200), Output: bench.Exactly(64)}.Requests(48),
//		Clients:  16,
//	})
//	bench.Summarize(traces, bench.Limits{}).WriteTable(os.Stdout)
//
// # What is measured
//
// A request is due at t0, its intended start. It is sent at s. Pieces with text
// arrive at t1 … tn, the i-th with kᵢ tokens, and the last thing of any kind at
// e. A piece without text (a role, an empty string, counts) is no token. N is
// the number of output tokens by the server's own count, else the sum of all kᵢ.
//
//	TTFT   time to first token      t1 − t0
//	ITL    inter-token latency      (tᵢ − tᵢ₋₁) / kᵢ, counted kᵢ times, for i = 2 … n
//	TPOT   time per output token    (tn − t1) / (N − k1), where n ≥ 2
//	E2E    end-to-end latency       e − t0
//	wait   for a free client        s − t0
//	queued in the server            by its own account, where it gives one
//	speed  of a request             N / (e − t0)
//
// Where the server does not say how many tokens a piece has (most do not), kᵢ is
// 1 and ITL is the gap between pieces; the report says so and gives tokens per
// piece. A request without any text has no TTFT, one of a single piece no ITL and
// no TPOT: they are left out of those figures, and counted, never taken as zero.
// A request that failed is left out of all latencies and of throughput. One that
// the end of the run broke off is left out of all latencies, but the tokens that
// came of it are output of the run.
//
// Over the run, from the first moment a request could be due until T, when the
// last one ended:
//
//	throughput   answered requests, their input tokens, all output tokens, each / T
//	goodput      answered requests that kept all limits / T
//	concurrency  requests with s ≤ t < e; its peak, and its mean
//
// # Percentiles
//
// The p-th percentile is the smallest sample that at least p % of all samples do
// not exceed: the nearest rank, type 1 of Hyndman and Fan (Sample Quantiles in
// Statistical Packages, 1996), which gonum/stat calls Empirical. It is always a
// value that was measured, it never falls as p rises, and p100 is the maximum.
// Of fewer than 100 samples the p99 is their maximum: the table says so. Of
// rates the bad tail is the low one: p1 and p5, not p99.
//
// Where requests are few, 95 % intervals stand beside the figures: percentiles
// of 500 resamples of the requests, each with all its pieces (the cluster
// bootstrap: gaps of one answer are alike, and resampling them singly would make
// the interval too narrow). For throughput, twentieths of the run are resampled.
// They tell of the chance within a run. What differs from run to run, only
// several runs tell.
//
// # Load
//
// In a closed loop a number of clients each send a request when their last one
// is answered: a server that stalls is sent less, and hides its delay. In an open
// loop requests are due at times fixed beforehand ([Arrivals], or a recorded
// trace), whatever the server does, and every latency counts from then: a
// request that could not even be sent in time shows it. This is freedom from
// coordinated omission.
//
// Runs are repeatable: prompts, lengths and arrivals follow from seeds.
//
// # Failures
//
// Each failed request is counted under its [Kind], and a report names them
// first. Flaws that leave an answer usable (no counts, no [DONE], no text) are
// counted too. Requests that the end of the run broke off are neither.
package bench
