package tokenizer

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"unicode/utf8"
)

// TrainOptions say what vocabulary Train learns.
type TrainOptions struct {
	// Size is the number of ids to reach: special tokens, 256 bytes, merges. A text that has no more pairs to
	// merge gives fewer.
	Size int
	// Special tokens get the first ids. They are control tokens; those with known names end a generation.
	Special []string
	// Pre is the name of the pre-tokenizer that cuts texts into words; empty is "gpt-2".
	Pre string
	// MinCount is how often a pair has to occur to be merged; 0 is once.
	MinCount int
}

// Train learns a byte-level BPE vocabulary from texts: starting from bytes, it
// makes a token of the pair of neighbouring tokens that is the most frequent
// within words, again and again (Sennrich, Haddow and Birch, 2016). Among equally
// frequent pairs the one with the lowest ids is taken, first left, then right.
//
// The same texts give the same vocabulary, on every machine, and the one that
// the BpeTrainer of Hugging Face's tokenizers gives with the alphabet of its
// ByteLevel pre-tokenizer: tokens, ids and merges. A megabyte takes about a second.
func Train(o TrainOptions, texts ...string) (*BPE, error) {
	m := &metadata{model: "gpt2", pre: cmp.Or(o.Pre, "gpt-2"), bos: -1, eos: -1, eot: -1, eom: -1, unk: -1}
	pre, err := m.pretokenizer()
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	if least := len(o.Special) + 256; o.Size <= least {
		return nil, fmt.Errorf("tokenizer: a vocabulary of %d ids; %d special tokens and 256 bytes leave none to learn",
			o.Size, len(o.Special))
	}
	m.alphabet(o.Special)
	t := newTrainer(m, texts, pre)
	t.learn(o.Size, max(1, o.MinCount))
	if len(m.merges) == 0 {
		return nil, fmt.Errorf("tokenizer: no pair occurs often enough in %d texts to learn from", len(texts))
	}
	return newBPE(m)
}

// alphabet makes tokens of the special ones and of the bytes, in the order of their spelling.
func (m *metadata) alphabet(special []string) {
	for _, s := range special {
		m.tokens, m.kinds = append(m.tokens, s), append(m.kinds, control)
	}
	letters := slices.Sorted(slices.Values(byteRune[:]))
	for _, r := range letters {
		m.tokens, m.kinds = append(m.tokens, string(r)), append(m.kinds, normal)
	}
}

// trainer counts pairs in the distinct words of the texts.
type trainer struct {
	m      *metadata
	ids    map[string]int32 // of tokens as they are spelled
	words  [][]int32
	counts []int // of each word
	pairs  map[pair]int
	queue  candidates
	merged []pair // the merges, in order
	fresh  map[pair][]int32
}

// candidate is a pair that may be merged next, in words that have it.
type candidate struct {
	pair  pair
	count int // when it was put into the queue
	words []int32
}

func newTrainer(m *metadata, texts []string, pre pretokenizer) *trainer {
	t := &trainer{m: m, ids: map[string]int32{}, pairs: map[pair]int{}, fresh: map[pair][]int32{}}
	var byteID [256]int32
	for id, token := range m.tokens {
		t.ids[token] = int32(id)
		if r, _ := utf8.DecodeRuneInString(token); m.kinds[id] == normal {
			byteID[runeByte[r]] = int32(id)
		}
	}
	known := map[string]int{}
	for _, text := range texts {
		split(pre.stages, string([]rune(text)), func(word string) {
			i, ok := known[word]
			if !ok {
				i = len(t.words)
				known[word] = i
				t.words, t.counts = append(t.words, spell(word, &byteID)), append(t.counts, 0)
			}
			t.counts[i]++
		})
	}
	for i, w := range t.words {
		for k := range len(w) - 1 {
			t.change(pair{w[k], w[k+1]}, 1, int32(i))
		}
	}
	t.enqueue()
	return t
}

func spell(word string, byteID *[256]int32) []int32 {
	ids := make([]int32, len(word))
	for i := range ids {
		ids[i] = byteID[word[i]]
	}
	return ids
}

// change counts a pair that word i has gained or lost.
func (t *trainer) change(p pair, by int, i int32) {
	t.pairs[p] += by * t.counts[i]
	if by > 0 {
		t.fresh[p] = append(t.fresh[p], i)
	}
}

// enqueue makes candidates of the pairs that words have gained.
func (t *trainer) enqueue() {
	for p, words := range t.fresh {
		if n := t.pairs[p]; n > 0 {
			slices.Sort(words)
			heap.Push(&t.queue, candidate{p, n, slices.Compact(words)})
		}
	}
	clear(t.fresh)
}

// learn merges until there are size tokens or no pair occurs least times.
func (t *trainer) learn(size, least int) {
	for len(t.m.tokens) < size && len(t.queue) > 0 {
		c := heap.Pop(&t.queue).(candidate)
		if n := t.pairs[c.pair]; n != c.count {
			c.count = n
			heap.Push(&t.queue, c)
			continue
		}
		if c.count < least {
			break
		}
		id := t.token(c.pair)
		for _, i := range c.words {
			t.merge(i, c.pair, id)
		}
		t.enqueue()
	}
	t.write()
}

// token returns the id of the token that a pair makes, which another pair may have made before.
func (t *trainer) token(p pair) int32 {
	t.merged = append(t.merged, p)
	token := t.m.tokens[p.left] + t.m.tokens[p.right]
	id, ok := t.ids[token]
	if !ok {
		id = int32(len(t.m.tokens))
		t.ids[token] = id
		t.m.tokens, t.m.kinds = append(t.m.tokens, token), append(t.m.kinds, normal)
	}
	return id
}

// merge replaces a pair in word i by id.
func (t *trainer) merge(i int32, p pair, id int32) {
	w := t.words[i]
	n := 0
	for k := 0; k < len(w); n++ {
		if k+1 == len(w) || (pair{w[k], w[k+1]}) != p {
			w[n] = w[k]
			k++
			continue
		}
		if n > 0 {
			t.change(pair{w[n-1], p.left}, -1, i)
			t.change(pair{w[n-1], id}, 1, i)
		}
		if k+2 < len(w) {
			t.change(pair{p.right, w[k+2]}, -1, i)
			t.change(pair{id, w[k+2]}, 1, i)
		}
		w[n] = id
		k += 2
	}
	t.words[i] = w[:n]
}

// write spells the merges. A pair that was merged twice, because its token
// came about in two ways, counts where it was merged last.
func (t *trainer) write() {
	last := map[pair]int{}
	for i, p := range t.merged {
		last[p] = i
	}
	for i, p := range t.merged {
		if last[p] == i {
			t.m.merges = append(t.m.merges, t.m.tokens[p.left]+" "+t.m.tokens[p.right])
		}
	}
}

// candidates is a heap with the most frequent pair first.
type candidates []candidate

func (c candidates) Len() int      { return len(c) }
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c candidates) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(c[j].count, c[i].count), cmp.Compare(c[i].pair.left, c[j].pair.left),
		cmp.Compare(c[i].pair.right, c[j].pair.right), slices.Compare(c[i].words, c[j].words)) < 0
}
func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := len(*c) - 1
	x := (*c)[last]
	*c = (*c)[:last]
	return x
}
