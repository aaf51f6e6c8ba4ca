package tokenizer

// EncodeMixed appends the ids of text, which is trusted but for the stretches
// in data: control tokens become their ids only where no byte of them lies in
// data. Apart from that the text is encoded as a whole, so that a word that
// begins in a template and ends in what a user wrote is merged as in any text.
//
// The stretches are in ascending order and do not overlap. Tokenizers that are
// not of this package encode each stretch by itself, whose ids at its ends may
// then be others than in a whole text.
func EncodeMixed(t Tokenizer, dst []int32, text string, data ...Span) []int32 {
	if m, ok := t.(mixed); ok {
		return m.encodeMixed(dst, text, data)
	}
	done := 0
	for _, d := range data {
		dst = t.EncodeSpecial(dst, text[done:d.Start])
		dst = t.Encode(dst, text[d.Start:d.End])
		done = d.End
	}
	return t.EncodeSpecial(dst, text[done:])
}

type mixed interface {
	encodeMixed(dst []int32, text string, data []Span) []int32
}
