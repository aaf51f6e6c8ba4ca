package native

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

//go:embed openapi.json
var openapiJSON []byte

// openapi answers with the description of the whole server, as minillm serve
// runs it.
func (h *Handler) openapi(w http.ResponseWriter, r *http.Request) {
	document(w, "application/json", h.description)
}

// describe is the description of a server whose vocabulary has n tokens.
func describe(n int) string {
	decode := json.NewDecoder(bytes.NewReader(openapiJSON))
	decode.UseNumber() // seeds have more digits than a float64
	var d map[string]any
	if err := decode.Decode(&d); err != nil {
		panic(err) // it is embedded
	}
	schemas := d["components"].(map[string]any)["schemas"].(map[string]any)
	schemas["Token"].(map[string]any)["maximum"] = n - 1
	schemas["TokenName"].(map[string]any)["pattern"] = "^(" + below(n) + ")$"
	b, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		panic(err) // it was JSON
	}
	return string(b)
}

// below returns a regular expression for the whole numbers in [0,n), n > 0, in
// digits: those with fewer digits than n-1, and those which go below it at
// their first digit, their second, and so on.
func below(n int) string {
	last := strconv.Itoa(n - 1)
	all := []string{"0", last}
	for digits := 1; digits < len(last); digits++ {
		all = append(all, fmt.Sprintf("[1-9][0-9]{%d}", digits-1))
	}
	for i, c := range []byte(last) {
		least := byte('0')
		if i == 0 {
			least = '1'
		}
		if c > least {
			all = append(all, fmt.Sprintf("%s[%c-%c][0-9]{%d}", last[:i], least, c-1, len(last)-i-1))
		}
	}
	return strings.Join(all, "|")
}
