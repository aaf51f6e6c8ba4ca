package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/minillm/sampling"
)

// Limits that all front ends share.
const (
	MaxStops    = 16   // stop strings of a request
	maxStopSize = 1000 // characters of one
)

// Value decodes a field into dst; want says what it should be.
func (b *Body) Value(name, want string, dst any) {
	if raw := b.Take(name); raw != nil {
		if err := json.Unmarshal(raw, dst); err != nil {
			b.Fail(http.StatusBadRequest, name, "want %s, got %s", want, kind(raw))
		}
	}
}

// String reads a string.
func (b *Body) String(name string, dst *string) { b.Value(name, "a string", dst) }

// Bool reads true or false.
func (b *Body) Bool(name string, dst *bool) { b.Value(name, "true or false", dst) }

// Float reads a number in [least, most].
func (b *Body) Float(name string, dst *float64, least, most float64) {
	raw := b.Take(name)
	if raw == nil {
		return
	}
	x, err := number(raw)
	switch {
	case err != nil:
		b.Fail(http.StatusBadRequest, name, "want a number, got %s", kind(raw))
	case !(x >= least && x <= most):
		b.Fail(b.Bounds, name, "%s is not between %v and %v", short(raw), least, most)
	default:
		*dst = x
	}
}

// Int reads a whole number in [least, most].
func (b *Body) Int(name string, dst *int, least, most int) {
	raw := b.Take(name)
	if raw == nil {
		return
	}
	x, err := number(raw)
	switch {
	case err != nil:
		b.Fail(http.StatusBadRequest, name, "want a whole number, got %s", kind(raw))
	case x != math.Trunc(x):
		b.Fail(http.StatusBadRequest, name, "want a whole number, got %s", short(raw))
	case !(x >= float64(least) && x <= float64(most)):
		b.Fail(b.Bounds, name, "%s is not between %d and %d", short(raw), least, most)
	default:
		*dst = int(x)
	}
}

// Seed reads a whole number of any sign; all 64 bits of it count.
func (b *Body) Seed(name string, dst *uint64) {
	raw := b.Take(name)
	if raw == nil {
		return
	}
	if u, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		*dst = u
		return
	}
	i, err := strconv.ParseInt(string(raw), 10, 64)
	if x, notNumber := number(raw); err != nil && notNumber == nil && x == math.Trunc(x) && math.Abs(x) < 1<<63 {
		i, err = int64(x), nil // whole, though written as 7.0 or 7e3
	}
	if err != nil {
		b.Fail(http.StatusBadRequest, name, "want a whole number of 64 bits, got %s", short(raw))
		return
	}
	*dst = uint64(i)
}

// TopP reads the share of probability to keep. 0 keeps the most probable token
// alone, as the field is understood everywhere; to sampling.Params 0 is off.
func (b *Body) TopP(name string, p *sampling.Params) {
	x := math.NaN()
	b.Float(name, &x, 0, 1)
	switch {
	case x > 0:
		p.TopP = x
	case x == 0:
		p.TopP = math.SmallestNonzeroFloat64
	}
}

// Stops reads a stop string, or an array of them.
func (b *Body) Stops(name string, dst *[]string) {
	b.Strings(name, dst, MaxStops)
	for _, s := range *dst {
		if s == "" {
			b.Fail(b.Bounds, name, "a stop string must not be empty")
		}
		if n := utf8.RuneCountInString(s); n > maxStopSize {
			b.Fail(b.Bounds, name, "a stop string of %d characters, at most %d", n, maxStopSize)
		}
	}
}

// Strings reads a string, or an array of at most n of them.
func (b *Body) Strings(name string, dst *[]string, n int) {
	raw := b.Take(name)
	if raw == nil {
		return
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*dst = []string{one}
		return
	}
	var many []*string // null would pass for an empty string
	if err := json.Unmarshal(raw, &many); err != nil {
		b.Fail(http.StatusBadRequest, name, "want a string or an array of strings, got %s", kind(raw))
		return
	}
	if len(many) > n {
		b.Fail(b.Bounds, name, "%d strings, at most %d", len(many), n)
		return
	}
	list := make([]string, len(many))
	for i, s := range many {
		if s == nil {
			b.Fail(http.StatusBadRequest, name, "want strings, got null")
			return
		}
		list[i] = *s
	}
	*dst = list
}

// IDs reads an array of whole numbers in [0, size): ids of tokens.
func (b *Body) IDs(name string, dst *[]int32, size int) {
	if raw := b.Take(name); raw != nil {
		ids, err := ParseIDs(raw, size)
		if err != nil {
			b.Fail(http.StatusBadRequest, name, "%v", err)
		}
		*dst = ids
	}
}

// ParseIDs is IDs of a value that is there.
func ParseIDs(raw json.RawMessage, size int) ([]int32, error) {
	var numbers []float64                                                                        // a whole one may be written as 7.0
	if err := json.Unmarshal(raw, &numbers); err != nil || bytes.Contains(raw, []byte("null")) { // which would pass for 0
		return nil, errors.New("want an array of token ids")
	}
	ids := make([]int32, len(numbers))
	for i, x := range numbers {
		if !(x >= 0 && x < float64(size)) || x != math.Trunc(x) {
			return nil, fmt.Errorf("token %v, where the vocabulary has 0 to %d", x, size-1)
		}
		ids[i] = int32(x)
	}
	return ids, nil
}

// Either refuses two names for one thing at once.
func (b *Body) Either(old, name string) {
	if b.Has(old) && b.Has(name) {
		b.Fail(http.StatusBadRequest, old, "is the same as %s: give one of the two", name)
	}
}

// Accept takes fields that change nothing in the result.
func (b *Body) Accept(names ...string) {
	for _, name := range names {
		b.Take(name)
	}
}

// Refuse refuses a field that would change the result and is not supported,
// unless its value is one of neutral, JSON texts of which each changes nothing.
func (b *Body) Refuse(name string, neutral ...string) {
	raw := b.Take(name)
	if raw == nil {
		return
	}
	var got, want any
	json.Unmarshal(raw, &got) // it has been parsed before
	for _, n := range neutral {
		if json.Unmarshal([]byte(n), &want) == nil && reflect.DeepEqual(got, want) {
			return
		}
	}
	what := "is not supported"
	if len(neutral) > 0 {
		what += "; leave it out or set it to " + strings.Join(neutral, " or ")
	}
	b.Fail(http.StatusBadRequest, name, "%s", what)
}

// number parses a JSON number; one too large for a float64 is infinite.
func number(raw json.RawMessage) (float64, error) {
	if kind(raw) != "a number" {
		return 0, errors.New("not a number")
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	if errors.Is(err, strconv.ErrRange) {
		return x, nil
	}
	return x, err
}

// kind names the type of a JSON value.
func kind(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return string(raw)
	case 'n':
		return "null"
	}
	return "a number"
}

// short is a value as an error may show it.
func short(raw json.RawMessage) string {
	if len(raw) > 40 {
		return string(raw[:40]) + "…"
	}
	return string(raw)
}

// ascii is a caller's text as a header or a line of a log may carry it.
func ascii(s string) string {
	return strings.Trim(strconv.QuoteToASCII(fmt.Sprintf("%.60s", s)), `"`)
}

// Quote is a caller's text as an error may show it.
func Quote(s string) string { return `"` + ascii(s) + `"` }
