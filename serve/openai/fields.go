package openai

import "example.com/minillm/serve/internal/wire"

// accept takes the fields that change nothing in the result.
func accept(b *wire.Body) {
	b.Accept("user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
		"parallel_tool_calls", "request_id")
}

// field is one that would change the result and is not supported, with the
// values that change nothing.
type field struct {
	name    string
	neutral []string
}

// unsupported are those of OpenAI, vLLM and llama.cpp, for chats and completions.
var unsupported = []field{
	{"min_tokens", []string{"0"}},
	{"stop_token_ids", []string{"[]"}},
	{"bad_words", []string{"[]"}},
	{"allowed_token_ids", nil},
	{"use_beam_search", []string{"false"}},
	{"length_penalty", []string{"1"}},
	{"early_stopping", []string{"false"}},
	{"truncate_prompt_tokens", nil},
	{"prompt_logprobs", nil},
	{"skip_special_tokens", []string{"true"}},
	{"spaces_between_special_tokens", []string{"true"}},
	{"return_token_ids", []string{"false"}},
	{"return_tokens_as_token_ids", []string{"false"}},
	{"logits_processors", nil},
	{"guided_json", nil},
	{"guided_regex", nil},
	{"guided_choice", nil},
	{"guided_grammar", nil},
	{"structured_outputs", nil},
	{"json_schema", nil},
	{"grammar", nil},
	{"regex", nil},
	{"ebnf", nil},
	{"n_predict", nil},
	{"n_keep", []string{"0"}},
	{"cache_prompt", []string{"true"}},
	{"typical_p", []string{"1"}},
	{"mirostat", []string{"0"}},
	{"dry_multiplier", []string{"0"}},
	{"xtc_probability", []string{"0"}},
	{"dynatemp_range", []string{"0"}},
	{"top_n_sigma", []string{"-1"}},
	{"samplers", nil},
}

// unsupportedInChats are those of chats alone.
var unsupportedInChats = []field{
	{"functions", []string{"[]"}},
	{"function_call", []string{`"none"`, `"auto"`}},
	{"modalities", []string{`["text"]`}},
	{"audio", nil},
	{"prediction", nil},
	{"web_search_options", nil},
	{"verbosity", []string{`"medium"`}},
	{"best_of", []string{"1"}},
	{"echo", []string{"false"}},
	{"documents", []string{"[]"}},
	{"chat_template", nil},
	{"continue_final_message", []string{"false"}},
	{"add_special_tokens", []string{"false"}},
	{"include_reasoning", []string{"true"}},
	{"mm_processor_kwargs", nil},
}

func refuse(b *wire.Body, fields []field) {
	for _, f := range fields {
		b.Refuse(f.name, f.neutral...)
	}
}
