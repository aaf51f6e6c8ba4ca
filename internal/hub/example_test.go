package hub_test

import (
	"fmt"

	"example.com/minillm/internal/hub"
)

// What people write for a model, and what it means.
func ExampleClient_Parse() {
	c := &hub.Client{}
	for _, s := range []string{
		"hf.co/owner/model-GGUF:Q4_K_M",
		"owner/model-GGUF@v1:model-Q8_0.gguf",
		"https://huggingface.co/owner/model-GGUF/blob/main/model-Q8_0.gguf",
	} {
		r, err := c.Parse(s)
		fmt.Printf("%s | %s | %s | %s | %v\n", r.Owner, r.Repo, r.Revision, r.File, err)
	}
	// Output:
	// owner | model-GGUF |  | Q4_K_M | <nil>
	// owner | model-GGUF | v1 | model-Q8_0.gguf | <nil>
	// owner | model-GGUF | main | model-Q8_0.gguf | <nil>
}
