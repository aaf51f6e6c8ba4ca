package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// Result is a run with everything that it takes to read and compare it. As JSON
// it is one line.
type Result struct {
	Name     string            `json:"name"` // what was measured, for people
	Started  time.Time         `json:"started"`
	Config   map[string]string `json:"config,omitempty"` // of the load, as the caller has it
	Machine  Machine           `json:"machine"`
	Summary  Summary           `json:"summary"`
	Formulas map[string]string `json:"formulas"` // the definitions of the figures; filled in by WriteJSON
	Sweep    []Point           `json:"sweep,omitempty"`
	Traces   []Trace           `json:"requests"`
}

// WriteJSON prints one line.
func (r *Result) WriteJSON(w io.Writer) error {
	line := *r
	line.Formulas = formulas()
	return json.NewEncoder(w).Encode(line)
}

func formulas() map[string]string {
	m := make(map[string]string)
	for _, f := range Formulas {
		m[f.Name] = f.Text
	}
	return m
}

// ReadResult reads a file that WriteJSON wrote.
func ReadResult(path string) (*Result, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	r := &Result{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("bench: %s: %w", path, err)
	}
	if r.Summary.Requests != len(r.Traces) || len(r.Traces) == 0 {
		return nil, fmt.Errorf("bench: %s: not the result of a run with requests", path)
	}
	return r, nil
}
