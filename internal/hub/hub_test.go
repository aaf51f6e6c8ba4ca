package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeHub answers as the hub does: it lists a repository over two pages, and
// redirects who fetches a file to another host.
type fakeHub struct {
	t      *testing.T
	files  map[string][]byte
	token  string // that is asked for
	tamper bool   // store other bytes than are listed
	ranges bool   // the store knows ranges
	stalls bool   // the store's first answer ends in silence
	cuts   int    // answers that the store breaks off half way
	asked  []string
	mu     sync.Mutex
	base   string
	store  string
}

func newHub(t *testing.T, files map[string][]byte) (*fakeHub, *Client) {
	h := &fakeHub{t: t, files: files, ranges: true}
	store := httptest.NewServer(http.HandlerFunc(h.bytes))
	hub := httptest.NewServer(http.HandlerFunc(h.hub))
	t.Cleanup(func() { store.CloseClientConnections(); store.Close(); hub.Close() })
	h.base, h.store = hub.URL, store.URL
	return h, &Client{Base: hub.URL, Dir: t.TempDir(), Agent: "test", retry: time.Millisecond}
}

func (h *fakeHub) hub(w http.ResponseWriter, r *http.Request) {
	if h.token != "" && r.Header.Get("Authorization") != "Bearer "+h.token {
		w.Header().Set("X-Error-Code", "RepoNotFound")
		w.Header().Set("X-Error-Message", "Invalid username or password.")
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	const tree, resolve = "/api/models/owner/repo/tree/main", "/owner/repo/resolve/main/"
	switch {
	case r.URL.Path == tree && r.URL.Query().Get("cursor") == "":
		w.Header().Set("Link", "<"+h.base+tree+`?recursive=true&cursor=2>; rel="next"`)
		fmt.Fprint(w, `[{"type":"directory","oid":"x","size":0,"path":"sub"},{"type":"file","oid":"ce01362","size":5,"path":"README.md"}]`)
	case r.URL.Path == tree:
		fmt.Fprintf(w, "[%s]", strings.Join(h.entries(), ","))
	case strings.HasPrefix(r.URL.Path, resolve):
		http.Redirect(w, r, h.store+"/"+strings.TrimPrefix(r.URL.Path, resolve)+"?signed=yes", http.StatusFound)
	default:
		w.Header().Set("X-Error-Message", "Repository not found")
		w.WriteHeader(http.StatusNotFound)
	}
}

// entries describes large files by pointers and the SHA-256, small ones by the
// hash of their blob, as `git hash-object` gives it.
func (h *fakeHub) entries() (all []string) {
	for name, b := range h.files {
		blob := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(b)), b...))
		e := fmt.Sprintf(`{"type":"file","oid":%q,"size":%d,"path":%q`, hex.EncodeToString(blob[:]), len(b), name)
		if len(b) > 100 {
			sum := sha256.Sum256(b)
			e = fmt.Sprintf(`{"type":"file","oid":"0123","size":134,"path":%q,"lfs":{"oid":%q,"size":%d,"pointerSize":134}`, name, hex.EncodeToString(sum[:]), len(b))
		}
		all = append(all, e+"}")
	}
	return all
}

func (h *fakeHub) bytes(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.Header.Get("Authorization") != "" {
		h.t.Error("the token went to the store")
	}
	h.asked = append(h.asked, r.Header.Get("Range"))
	b := h.files[r.URL.Path[1:]]
	if h.tamper {
		b = append([]byte("bad"), b[3:]...)
	}
	if h.cuts > 0 {
		h.cuts--
		h.breakOff(w, r, b)
		return
	}
	if !h.ranges {
		r.Header.Del("Range")
	}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(b)))
}

// breakOff sends 1000 bytes of what was asked for, and then ends or falls silent.
func (h *fakeHub) breakOff(w http.ResponseWriter, r *http.Request, b []byte) {
	var from int
	w.Header().Set("Content-Length", fmt.Sprint(len(b)))
	if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); n == 1 {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)-from))
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(b)-1, len(b)))
		w.WriteHeader(http.StatusPartialContent)
	}
	w.Write(b[from : from+1000])
	w.(http.Flusher).Flush()
	if h.stalls {
		<-r.Context().Done()
	}
}

func model(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*i>>3 + i)
	}
	return b
}

// pull fetches what s means, and checks that it is what the hub has.
func pull(t *testing.T, h *fakeHub, c *Client, s, want string) {
	t.Helper()
	r, err := c.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	path, err := c.Pull(t.Context(), r)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != string(h.files[want]) {
		t.Errorf("%s: %v, %d bytes, want %d", s, err, len(got), len(h.files[want]))
	}
	if cached, ok := c.Cached(r); !ok || cached != path {
		t.Errorf("%s: cached %q %v, want %q", s, cached, ok, path)
	}
	leftover(t, c, 0)
}

// leftover counts the parts that lie about.
func leftover(t *testing.T, c *Client, want int) []string {
	t.Helper()
	parts, _ := filepath.Glob(filepath.Join(c.Dir, "*", "*", "*.part"))
	if len(parts) != want {
		t.Errorf("parts %q, want %d", parts, want)
	}
	return parts
}

func TestPull(t *testing.T) {
	h, c := newHub(t, map[string][]byte{"m-Q4_K_M.gguf": model(5000), "m-Q4_K.gguf": model(3000), "sub/tiny.Q8_0.gguf": model(50), "mmproj-m.gguf": model(10)})
	for s, want := range map[string]string{
		"owner/repo:Q4_K_M":                                          "m-Q4_K_M.gguf",
		"hf.co/owner/repo:q4_k":                                      "m-Q4_K.gguf",
		"owner/repo:sub/tiny.Q8_0.gguf":                              "sub/tiny.Q8_0.gguf", // a small file, by the hash of its blob
		"owner/repo:mmproj-m.gguf":                                   "mmproj-m.gguf",
		"https://huggingface.co/owner/repo/blob/main/m-Q4_K.gguf":    "m-Q4_K.gguf",
		h.base + "/owner/repo/resolve/main/m-Q4_K_M.gguf?download=1": "m-Q4_K_M.gguf",
	} {
		pull(t, h, c, s, want)
	}
	if len(h.asked) != 4 {
		t.Errorf("%d transfers of four files", len(h.asked))
	}
}

func TestPullOnlyModel(t *testing.T) {
	h, c := newHub(t, map[string][]byte{"m.gguf": model(500), "m-00001-of-00002.gguf": model(600)})
	pull(t, h, c, "owner/repo", "m.gguf")
}

func TestProgress(t *testing.T) {
	_, c := newHub(t, map[string][]byte{"m.gguf": model(700000)})
	var last int64
	c.Progress = func(done, total int64) {
		if done <= last || total != 700000 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}
	if _, err := c.Pull(t.Context(), Ref{Owner: "owner", Repo: "repo"}); err != nil || last != 700000 {
		t.Errorf("%d bytes, %v", last, err)
	}
}

// A transfer that breaks off goes on where it stopped; one that does so too
// often without bringing anything is given up.
func TestResume(t *testing.T) {
	h, c := newHub(t, map[string][]byte{"m.gguf": model(9500)})
	h.cuts = 7
	pull(t, h, c, "owner/repo", "m.gguf")
	if got := strings.Join(h.asked, " "); got != " bytes=1000- bytes=2000- bytes=3000- bytes=4000- bytes=5000- bytes=6000- bytes=7000-" {
		t.Errorf("asked for %q", got)
	}
}

func TestResumeFromSilence(t *testing.T) {
	h, c := newHub(t, map[string][]byte{"m.gguf": model(2500)})
	h.cuts, h.stalls, c.stall = 1, true, 50*time.Millisecond
	pull(t, h, c, "owner/repo", "m.gguf")
}

func TestResumeInAnotherProcess(t *testing.T) {
	for name, tc := range map[string]struct {
		part   []byte
		ranges bool
		asked  string
	}{
		"goes on":             {model(2500)[:800], true, "bytes=800-"},
		"whole":               {model(2500), true, ""},
		"too long":            {append(model(2500), 1), true, ""},
		"server has no range": {model(2500)[:800], false, "bytes=800-"},
	} {
		t.Run(name, func(t *testing.T) {
			h, c := newHub(t, map[string][]byte{"m.gguf": model(2500)})
			h.ranges = tc.ranges
			sum := sha256.Sum256(model(2500))
			part := filepath.Join(c.Dir, "owner", "repo", "m.gguf."+hex.EncodeToString(sum[:6])+".part")
			write(t, part, tc.part)
			write(t, strings.Replace(part, hex.EncodeToString(sum[:6]), "ffffffffffff", 1), []byte("of another version"))
			pull(t, h, c, "owner/repo", "m.gguf")
			if got := strings.Join(h.asked, " "); got != tc.asked {
				t.Errorf("asked for %q, want %q", got, tc.asked)
			}
		})
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// What came before Ctrl-C is kept, and nothing stands under the final name.
func TestInterrupted(t *testing.T) {
	h, c := newHub(t, map[string][]byte{"m.gguf": model(2500)})
	h.cuts, h.stalls = 1, true
	ctx, cancel := context.WithCancel(t.Context())
	c.Progress = func(done, total int64) { cancel() }
	if _, err := c.Pull(ctx, Ref{Owner: "owner", Repo: "repo"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if part, err := os.ReadFile(leftover(t, c, 1)[0]); err != nil || string(part) != string(model(2500)[:1000]) {
		t.Errorf("part of %d bytes, %v", len(part), err)
	}
	if path, ok := c.Cached(Ref{Owner: "owner", Repo: "repo"}); ok {
		t.Errorf("%s is there", path)
	}
	h.cuts, c.Progress = 0, nil
	pull(t, h, c, "owner/repo", "m.gguf")
}

// A newer version on the hub replaces the file that is there.
func TestUpdate(t *testing.T) {
	h, c := newHub(t, map[string][]byte{"m.gguf": model(2500)})
	pull(t, h, c, "owner/repo", "m.gguf")
	h.files["m.gguf"] = model(2600)
	pull(t, h, c, "owner/repo", "m.gguf")
}

func TestChecksum(t *testing.T) {
	for _, n := range []int{60, 2500} {
		h, c := newHub(t, map[string][]byte{"m.gguf": model(n)})
		h.tamper = true
		if _, err := c.Pull(t.Context(), Ref{Owner: "owner", Repo: "repo"}); !errors.Is(err, ErrChecksum) {
			t.Errorf("%d bytes: error %v", n, err)
		}
		leftover(t, c, 0)
	}
}

func TestRefused(t *testing.T) {
	h, c := newHub(t, map[string][]byte{"a-Q8_0.gguf": model(300), "b-Q4_0.gguf": model(400)})
	for s, want := range map[string]string{
		"owner/none":             "not found",
		"owner/repo@v2":          "not found",
		"owner/repo":             "2 models; name one: ",
		"owner/repo:Q5_0":        "not found: Q5_0 in owner/repo; there is: ",
		"owner/repo:b-Q8_0.gguf": "there is: ",
	} {
		r, err := c.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Pull(t.Context(), r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", s, err, want)
		}
	}
	h.token = "secret"
	for _, token := range []string{"", "wrong"} {
		c.Token = token
		if _, err := c.Pull(t.Context(), Ref{Owner: "owner", Repo: "repo", File: "Q8_0"}); !errors.Is(err, ErrForbidden) || !strings.Contains(err.Error(), "token") {
			t.Errorf("token %q: error %v", token, err)
		}
	}
	c.Token = "secret"
	pull(t, h, c, "owner/repo:Q8_0", "a-Q8_0.gguf")
}

// A hub may be hostile: its names must not lead out of the folder.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"../../../out.gguf", "/etc/out.gguf"} {
		_, c := newHub(t, map[string][]byte{name: model(300)})
		if _, err := c.Pull(t.Context(), Ref{Owner: "owner", Repo: "repo"}); err == nil || !strings.Contains(err.Error(), "owner/repo:"+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := &Client{}
	for _, s := range []string{"../repo", "owner/..", "owner/repo:../x.gguf", "owner/repo@../..:x", "owner", "a/b/c",
		"https://elsewhere.example/owner/repo", "https://huggingface.co/owner", "https://huggingface.co/a/b/tree/main"} {
		if r, err := c.Parse(s); err == nil {
			t.Errorf("%q is %+v", s, r)
		}
	}
}

func TestNoNetwork(t *testing.T) {
	c := &Client{Base: "http://127.0.0.1:1", Dir: t.TempDir()}
	start := time.Now()
	if _, err := c.Pull(t.Context(), Ref{Owner: "owner", Repo: "repo"}); err == nil || time.Since(start) > 5*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}
