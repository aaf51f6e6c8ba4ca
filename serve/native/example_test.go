package native_test

import (
	"fmt"
	"net/http/httptest"

	"example.com/minillm/serve/native"
)

// A server may listen before its model is there: /health tells.
func ExampleGate() {
	gate := &native.Gate{}
	w := httptest.NewRecorder()
	gate.ServeHTTP(w, httptest.NewRequest("GET", "/health", nil))
	fmt.Print(w.Code, " ", w.Body)
	// Then: gate.Open(native.New(text, template, "my-model"))
	// Output: 503 {"status":"loading"}
}
