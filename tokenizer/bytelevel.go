package tokenizer

// GPT-2's vocabulary files spell a token with one printable character for each
// of its bytes, so that no token holds white space: printable bytes of Latin-1
// stand for themselves, the others follow from U+0100 on.

// byteRune has the character of each byte.
var byteRune = func() (t [256]rune) {
	next := rune(256)
	for b := range rune(256) {
		if '!' <= b && b <= '~' || 0xa1 <= b && b <= 0xac || 0xae <= b {
			t[b] = b
			continue
		}
		t[b] = next
		next++
	}
	return t
}()

// runeByte is the way back; characters that stand for no byte have -1.
var runeByte = func() (t [324]int16) {
	for i := range t {
		t[i] = -1
	}
	for b, r := range byteRune {
		t[r] = int16(b)
	}
	return t
}()

// appendByteLevel appends the bytes that a token spells, or the token as it is
// and false if it has characters that spell none.
func appendByteLevel(b []byte, token string) ([]byte, bool) {
	start := len(b)
	for _, r := range token {
		if int(r) >= len(runeByte) || runeByte[r] < 0 {
			return append(b[:start], token...), false
		}
		b = append(b, byte(runeByte[r]))
	}
	return b, true
}

// toByteLevel spells bytes.
func toByteLevel(b []byte) string {
	s := make([]rune, len(b))
	for i, c := range b {
		s[i] = byteRune[c]
	}
	return string(s)
}
