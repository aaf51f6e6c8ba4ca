package openai

import (
	"net/http"

	"example.com/minillm/serve/internal/wire"
)

// modelInfo is a model as /v1/models tells it.
type modelInfo struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
	Context int    `json:"max_model_len,omitempty"` // as vLLM has it: most positions of a request
}

func (h *Handler) info(name string) modelInfo {
	return modelInfo{ID: name, Object: "model", Created: h.o.Created.Unix(), OwnedBy: "minillm", Context: h.o.Context}
}

func (h *Handler) models(w http.ResponseWriter, r *http.Request) {
	var all []modelInfo
	for _, name := range h.o.Models {
		all = append(all, h.info(name))
	}
	wire.WriteJSON(w, http.StatusOK, list[modelInfo]{Object: "list", Data: all})
}

// list is how several things are answered.
type list[T any] struct {
	Object string `json:"object"`
	Data   []T    `json:"data"`
}

func (h *Handler) model(w http.ResponseWriter, r *http.Request) {
	name, ok := h.known(r.PathValue("id"))
	if !ok {
		wire.WriteError(w, noModel(name))
		return
	}
	wire.WriteJSON(w, http.StatusOK, h.info(name))
}
