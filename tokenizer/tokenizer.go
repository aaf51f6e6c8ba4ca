package tokenizer

// Tokenizer turns text into token ids and back. Ids lie in [0,Size). All
// methods are safe for many goroutines at once.
//
// Encode and Decode return no error, because vocabularies that fall back to
// bytes cannot fail. Encode and EncodeSpecial are two methods rather than one
// with a flag, because a prompt injection by spelling "<|im_start|>" must not
// be one forgotten boolean away.
type Tokenizer interface {
	// Encode appends the ids of text to dst. Text is data: a control token
	// that is spelled out in it stays text. No BOS is added.
	Encode(dst []int32, text string) []int32

	// EncodeSpecial is Encode for trusted text, such as a rendered template:
	// control tokens spelled out in it become their ids.
	EncodeSpecial(dst []int32, text string) []int32

	// Decode appends the text of ids to dst. It appends bytes, because a
	// character may span ids; see Stream for whole characters. Control tokens
	// have no text.
	Decode(dst []byte, ids ...int32) []byte

	// BOS returns the id that begins a text, or -1 where there is none, and
	// whether the model wants it before raw text.
	BOS() (id int32, add bool)

	// Stops returns the ids that end a generation. The slice must not be changed.
	Stops() []int32

	// Piece returns the bytes of one id, those of a control token too. The
	// slice must not be changed.
	Piece(id int32) []byte

	// Size returns the number of ids.
	Size() int
}
