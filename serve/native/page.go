package native

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strings"
)

//go:embed page.html
var pageHTML string

// policy lets the chat page run its own script and style, talk to its own
// server, and nothing else: what a model says can never become a script.
var policy = "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
	"script-src " + source(pageHTML, "script") + "; style-src " + source(pageHTML, "style")

// source names the content of the first element of a page as a policy does.
func source(page, element string) string {
	_, after, _ := strings.Cut(page, "<"+element+">")
	content, _, _ := strings.Cut(after, "</"+element+">")
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// page answers with the chat page, which is one file and talks to
// /v1/chat/completions.
func (h *Handler) page(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	document(w, "text/html; charset=utf-8", pageHTML)
}

// document sends content of a kind, which browsers ask for anew each time.
func document(w http.ResponseWriter, kind, content string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-cache")
	w.Write([]byte(content))
}
