package fake

// Say returns a Model.Script that answers a prompt of n tokens with text and
// then EOS.
func Say(text string, n int) func(tokens []int32) int32 {
	return func(tokens []int32) int32 {
		if at := len(tokens) - n; at >= 0 && at < len(text) {
			return int32(text[at])
		}
		return EOS
	}
}
