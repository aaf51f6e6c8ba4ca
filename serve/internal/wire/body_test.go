package wire

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/sampling"
)

// parse fails the test where body is no object.
func parse(t *testing.T, body string) *Body {
	t.Helper()
	b, err := Parse([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return b
}

// status returns that of an error, 0 for none, and the field it is about.
func status(t *testing.T, err error) (code int, param string) {
	t.Helper()
	if err == nil {
		return 0, ""
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no Error", err)
	}
	return e.Status, e.Param
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ body, words string }{
		{``, "not a JSON object"},
		{`{"a":`, "not a JSON object"},
		{`null`, "null"},
		{`7`, "of type number"},
		{`[1]`, "of type array"},
		{`"x"`, "of type string"},
		{`{} {}`, "not a JSON object"},
		{`{"a": ` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`, "nested"},
		{strings.Repeat("[", 1<<20), "nested"},
	} {
		_, err := Parse([]byte(c.body))
		if code, _ := status(t, err); code != 400 || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%.40s: %v", c.body, err)
		}
	}
	quoted := `{"a": "` + strings.Repeat(`[\"{`, 1000) + `"}`
	if _, err := Parse([]byte(quoted)); err != nil {
		t.Errorf("brackets in a string: %v", err)
	}
}

func TestReadBounds(t *testing.T) {
	for _, c := range []struct {
		size, code int
	}{{100, 0}, {101, 413}, {5000, 413}} {
		body := `{"a":"` + strings.Repeat("x", c.size-8) + `"}`
		_, err := Read(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(body)), 100)
		if code, _ := status(t, err); code != c.code {
			t.Errorf("a body of %d bytes where 100 are allowed: %v", c.size, err)
		}
	}
	broken := io.MultiReader(strings.NewReader(`{"a"`), iotestErr{})
	_, err := Read(httptest.NewRecorder(), httptest.NewRequest("POST", "/", broken), 100)
	if code, _ := status(t, err); code != 400 {
		t.Errorf("a body that breaks off: %v", err)
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errors.New("gone") }

// Each case reads the field "x" of a body in one way.
func TestFields(t *testing.T) {
	const bounds = 422
	for _, c := range []struct {
		body string
		read func(b *Body) any
		want any // of the destination, which has a value before
		code int
	}{
		{`{}`, readFloat, 9., 0},
		{`{"x": null}`, readFloat, 9., 0},
		{`{"x": 1}`, readFloat, 1., 0},
		{`{"x": 2.5e-1}`, readFloat, .25, 0},
		{`{"x": 2.001}`, readFloat, 9., bounds},
		{`{"x": -1}`, readFloat, 9., bounds},
		{`{"x": 1e999}`, readFloat, 9., bounds},
		{`{"x": "1"}`, readFloat, 9., 400},
		{`{"x": [1]}`, readFloat, 9., 400},

		{`{"x": 3}`, readInt, 3, 0},
		{`{"x": 3.0}`, readInt, 3, 0},
		{`{"x": 3e0}`, readInt, 3, 0},
		{`{"x": 3.5}`, readInt, 9, 400},
		{`{"x": 11}`, readInt, 9, bounds},
		{`{"x": -32}`, readInt, 9, bounds},
		{`{"x": 9223372036854775808}`, readInt, 9, bounds},
		{`{"x": 1e308}`, readInt, 9, bounds},
		{`{"x": true}`, readInt, 9, 400},
		{`{"x": null}`, readInt, 9, 0},

		{`{"x": 18446744073709551615}`, readSeed, uint64(math.MaxUint64), 0},
		{`{"x": -1}`, readSeed, uint64(math.MaxUint64), 0},
		{`{"x": 7.0}`, readSeed, uint64(7), 0},
		{`{"x": 7.5}`, readSeed, uint64(9), 400},
		{`{"x": 1e30}`, readSeed, uint64(9), 400},
		{`{"x": "7"}`, readSeed, uint64(9), 400},

		{`{"x": "a"}`, readString, "a", 0},
		{`{"x": ""}`, readString, "", 0},
		{`{"x": 1}`, readString, "before", 400},
		{`{"x": "\ud800"}`, readString, "\ufffd", 0},

		{`{"x": false}`, readBool, false, 0},
		{`{"x": 0}`, readBool, true, 400},

		{`{"x": "a"}`, readStops, "[a]", 0},
		{`{"x": ["a", "b"]}`, readStops, "[a b]", 0},
		{`{"x": []}`, readStops, "[]", 0},
		{`{"x": ""}`, readStops, "[]", bounds},
		{`{"x": ["a", null]}`, readStops, "[]", 400},
		{`{"x": ["a", 1]}`, readStops, "[]", 400},
		{`{"x": ["` + strings.Repeat(`a", "`, MaxStops) + `a"]}`, readStops, "[]", bounds},

		{`{"x": [0, 9.0, 3]}`, readIDs, "[0 9 3]", 0},
		{`{"x": [10]}`, readIDs, "[]", 400},
		{`{"x": [-1]}`, readIDs, "[]", 400},
		{`{"x": [1.5]}`, readIDs, "[]", 400},
		{`{"x": [null]}`, readIDs, "[]", 400},
		{`{"x": 3}`, readIDs, "[]", 400},

		{`{}`, readTopP, 0., 0},
		{`{"x": 0}`, readTopP, math.SmallestNonzeroFloat64, 0},
		{`{"x": 0.5}`, readTopP, .5, 0},
		{`{"x": 1.5}`, readTopP, 0., bounds},
	} {
		b := parse(t, c.body)
		b.Bounds = bounds
		got := c.read(b)
		code, param := status(t, b.Err())
		if code != c.code || code != 0 && param != "x" {
			t.Errorf("%s: status %d of %q: %v; want %d", c.body, code, param, b.Err(), c.code)
		}
		if code == 0 && got != c.want || code != 0 && !strings.HasPrefix(fmt.Sprint(c.want), "[") && got != c.want {
			t.Errorf("%s: read %v, want %v", c.body, got, c.want)
		}
		if rest := b.Rest(); len(rest) != 0 {
			t.Errorf("%s: %v was read and is still there", c.body, rest)
		}
	}
}

func readFloat(b *Body) any { x := 9.; b.Float("x", &x, 0, 2); return x }
func readInt(b *Body) any   { x := 9; b.Int("x", &x, 0, 10); return x }
func readSeed(b *Body) any  { x := uint64(9); b.Seed("x", &x); return x }
func readBool(b *Body) any  { x := true; b.Bool("x", &x); return x }

func readString(b *Body) any { x := "before"; b.String("x", &x); return x }

func readStops(b *Body) any {
	var x []string
	b.Stops("x", &x)
	return fmt.Sprint(x)
}

func readIDs(b *Body) any {
	var x []int32
	b.IDs("x", &x, 10)
	return fmt.Sprint(x)
}

func readTopP(b *Body) any {
	var p sampling.Params
	b.TopP("x", &p)
	return p.TopP
}

func TestRefuseAndEither(t *testing.T) {
	for _, c := range []struct {
		body string
		want int
	}{
		{`{}`, 0},
		{`{"x": null}`, 0},
		{`{"x": 0}`, 0},
		{`{"x": 0.0}`, 0},
		{`{"x": []}`, 0},
		{`{"x": 1}`, 400},
		{`{"x": "0"}`, 400},
	} {
		b := parse(t, c.body)
		b.Refuse("x", "0", "[]")
		if code, _ := status(t, b.Err()); code != c.want {
			t.Errorf("%s: %v", c.body, b.Err())
		}
	}
	for body, want := range map[string]int{`{"a": 1}`: 0, `{"b": 1}`: 0, `{"a": null, "b": 1}`: 0, `{"a": 1, "b": 1}`: 400} {
		b := parse(t, body)
		b.Either("a", "b")
		if code, _ := status(t, b.Err()); code != want {
			t.Errorf("%s: %v", body, b.Err())
		}
	}
}

// The first error stands, wherever in the body it is.
func TestFirstErrorStands(t *testing.T) {
	b := parse(t, `{"list": [{"n": "one"}], "m": "two"}`)
	var n, m int
	b.Objects("list", 3)[0].Int("n", &n, 0, 9)
	b.Int("m", &m, 0, 9)
	if _, param := status(t, b.Err()); param != "list[0].n" {
		t.Errorf("the error is about %q: %v", param, b.Err())
	}
}

func TestObjects(t *testing.T) {
	for body, want := range map[string]int{
		`{"x": [{}, {}]}`: 0, `{"x": []}`: 0, `{}`: 0, `{"x": [{}, {}, {}]}`: 400, `{"x": [{}, null]}`: 400, `{"x": [1]}`: 400, `{"x": {}}`: 400,
	} {
		b := parse(t, body)
		b.Objects("x", 2)
		if code, _ := status(t, b.Err()); code != want {
			t.Errorf("%s: %v", body, b.Err())
		}
	}
}

// What nobody has read is named in a header, or refused; null asks for nothing.
func TestFinish(t *testing.T) {
	for _, c := range []struct {
		body   string
		strict bool
		header string
		code   int
	}{
		{`{"known": 1}`, true, "", 0},
		{`{"known": 1, "b": 2, "a": 3, "n": null}`, false, "a, b", 0},
		{`{"known": 1, "o": {"inner": 1, "read": 2}}`, false, "o.inner", 0},
		{`{"known": 1, "b": 2}`, true, "b", 400},
		{`{"known": 1, "\u00e9\r\nX-Evil: 1": 2}`, false, `\u00e9\r\nX-Evil: 1`, 0},
	} {
		b := parse(t, c.body)
		b.Accept("known")
		if o := b.Object("o"); o != nil {
			o.Accept("read")
		}
		w := httptest.NewRecorder()
		err := b.Finish(w, c.strict)
		if code, _ := status(t, err); code != c.code || w.Header().Get("Minillm-Ignored-Fields") != c.header {
			t.Errorf("%s: %v, header %q", c.body, err, w.Header().Get("Minillm-Ignored-Fields"))
		}
	}
	many := `{"` + strings.Repeat("x", 100)
	for i := range 50 {
		many += fmt.Sprintf(`": 1, "%s%d`, strings.Repeat("x", 100), i)
	}
	w := httptest.NewRecorder()
	if err := parse(t, many+`": 1}`).Finish(w, false); err != nil || len(w.Header().Get("Minillm-Ignored-Fields")) > 700 {
		t.Errorf("%v, a header of %d bytes", err, len(w.Header().Get("Minillm-Ignored-Fields")))
	}
}

func TestKind(t *testing.T) {
	b := parse(t, `{"s": "x", "a": [], "o": {}, "t": true, "f": false, "n": -1, "null": null}`)
	for name, want := range map[string]byte{"s": '"', "a": '[', "o": '{', "t": 't', "f": 'f', "n": '0', "null": 0, "absent": 0} {
		if got := b.Kind(name); got != want {
			t.Errorf("%s begins with %q, want %q", name, got, want)
		}
	}
}

func TestMux(t *testing.T) {
	var m Mux
	m.Handle(http.MethodGet, "/a", func(w http.ResponseWriter, r *http.Request) { WriteJSON(w, 200, "got") })
	m.Handle(http.MethodPost, "/a", func(w http.ResponseWriter, r *http.Request) { WriteJSON(w, 200, "posted") })
	m.Handle(http.MethodGet, "/b/{id...}", func(w http.ResponseWriter, r *http.Request) { WriteJSON(w, 200, r.PathValue("id")) })
	for _, c := range []struct {
		method, path string
		code         int
		body         string
	}{
		{"GET", "/a", 200, `"got"`},
		{"POST", "/a", 200, `"posted"`},
		{"DELETE", "/a", 405, `"method_not_allowed"`},
		{"GET", "/b/x/y", 200, `"x/y"`},
		{"POST", "/b/x", 405, "use GET"},
		{"GET", "/c", 404, `"not_found"`},
	} {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.body) || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d %s", c.method, c.path, w.Code, w.Body)
		}
		if allow := w.Header().Get("Allow"); (w.Code == 405) != (allow != "") {
			t.Errorf("%s %s: allowed are %q", c.method, c.path, allow)
		}
	}
	if got := m.Routes(); !slices.Equal(got, []string{"GET /a", "POST /a", "GET /b/{id...}"}) {
		t.Errorf("routes %v", got)
	}
}
