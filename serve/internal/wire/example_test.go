package wire_test

import (
	"fmt"
	"net/http/httptest"

	"example.com/minillm/serve/internal/wire"
)

// A request is read field by field. The first fault becomes the answer, and
// what nobody asked for is not passed over in silence.
func Example() {
	for _, body := range []string{
		`{"prompt": "hi", "temperature": 0.5}`,
		`{"prompt": "hi", "temperature": 3}`,
		`{"prompt": "hi", "colour": "red"}`,
	} {
		b, err := wire.Parse([]byte(body))
		if err != nil {
			panic(err)
		}
		b.Bounds = 422
		var prompt string
		temperature := 1.0
		b.String("prompt", &prompt)
		b.Float("temperature", &temperature, 0, 2)
		w := httptest.NewRecorder()
		err = b.Finish(w, false)
		fmt.Println(temperature, err, w.Header())
	}
	// Output:
	// 0.5 <nil> map[]
	// 1 temperature: 3 is not between 0 and 2 map[]
	// 1 <nil> map[Minillm-Ignored-Fields:[colour]]
}
