package bench

// Formula is how a figure is defined. Reports print it, because figures of the
// same name are computed in different ways elsewhere.
type Formula struct{ Name, Text string }

// Formulas are the definitions of the figures in reports; the package
// documentation explains them.
var Formulas = []Formula{
	{"TTFT", "first piece with text − intended start"},
	{"ITL", "gap before a piece ÷ its tokens, once for each of them; the first piece has none"},
	{"TPOT", "(last piece − first piece) ÷ (output tokens − those of the first piece), from two pieces on"},
	{"E2E", "end of the answer − intended start"},
	{"wait", "sent − intended start"},
	{"queued", "until the engine began to compute, by the server's account"},
	{"speed", "output tokens of a request ÷ its E2E"},
	{"throughput", "of all requests ÷ (last end − start of the run)"},
	{"goodput", "requests within all limits ÷ (last end − start of the run)"},
	{"percentiles", "nearest rank: the smallest sample that so many per cent do not exceed (gonum/stat Empirical, Hyndman-Fan type 1)"},
	{"intervals", "95 %, percentile bootstrap over requests; over twentieths of the run for throughput"},
}
