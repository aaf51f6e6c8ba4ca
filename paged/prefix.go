package paged

import (
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// index finds published blocks: full ones whose rows are final, and which may
// be shared. Blocks of a sequence form a chain. The key of one is exact: its
// tokens, and the serial number of the publication that it follows; at the
// root, which follows serial 0, the salt. Hashes only say where to look, so a
// collision costs a comparison and can never serve one prompt's rows to another.
//
// Why serial numbers and not ids of blocks: ids are reused, and a child would
// then hang under a stranger. A serial is never given twice, so when a block
// is reused its children merely become unreachable, until their turn comes.
//
// It is a hash table with chains through arrays by block id. Zero means
// nothing in each of them, so that a large index is made of untouched memory.
type index struct {
	size    int // tokens in a block
	hash    Hash
	seed    maphash.Seed     // of the hash of salts
	buckets []int32          // links to the first block of each chain: ids plus 1, 0 is none
	blocks  []publication    // by block
	tokens  []int32          // [block][size]
	salts   map[int32]string // of roots whose salt is not empty
	last    uint64           // serial given
	len     int              // blocks published
}

// publication is what the index knows of a block beside its tokens.
type publication struct {
	serial uint64 // its own; 0 is unpublished
	parent uint64 // serial of the publication before it; 0 is none
	hash   uint64
	next   int32 // link along the chain
}

// Hash digests the tokens of a block that follows parent: the serial number of
// a publication, or at the root a digest of the salt.
type Hash func(parent uint64, tokens []int32) uint64

func newIndex(blocks, size int, hash Hash) *index {
	if hash == nil {
		hash = newHash()
	}
	return &index{
		size:    size,
		hash:    hash,
		seed:    maphash.MakeSeed(),
		buckets: make([]int32, 1<<bits.Len(uint(blocks-1))),
		blocks:  make([]publication, blocks),
		tokens:  make([]int32, blocks*size),
		salts:   map[int32]string{},
	}
}

// newHash returns a hash with a secret of its own, so that nobody can prepare
// prompts that collide: a folded multiplication for every two tokens.
func newHash() Hash {
	secret := rand.Uint64() | 1
	return func(parent uint64, tokens []int32) uint64 {
		h := parent ^ secret
		for len(tokens) >= 2 {
			h = fold(h^(uint64(uint32(tokens[0]))|uint64(uint32(tokens[1]))<<32), secret)
			tokens = tokens[2:]
		}
		return h
	}
}

func fold(x, secret uint64) uint64 {
	hi, lo := bits.Mul64(x^0xa0761d6478bd642f, secret)
	return hi ^ lo
}

// find returns the block published after parent with these tokens, or -1.
func (x *index) find(parent uint64, salt string, tokens []int32) int32 {
	h := x.digest(parent, salt, tokens)
	for link := *x.bucket(h); link != 0; link = x.blocks[link-1].next {
		if x.is(link-1, h, parent, salt, tokens) {
			return link - 1
		}
	}
	return -1
}

// digest is the hash of a key. That of a root includes its salt: tenants who
// begin with the same tokens must not fill one chain.
func (x *index) digest(parent uint64, salt string, tokens []int32) uint64 {
	if parent == 0 {
		parent = maphash.String(x.seed, salt)
	}
	return x.hash(parent, tokens)
}

// is compares the hash first, then the whole key.
func (x *index) is(id int32, h, parent uint64, salt string, tokens []int32) bool {
	b := &x.blocks[id]
	return b.hash == h && b.parent == parent &&
		(parent != 0 || x.salts[id] == salt) &&
		slices.Equal(x.block(id), tokens)
}

// add publishes an unpublished block under a key that find did not find.
func (x *index) add(id int32, parent uint64, salt string, tokens []int32) {
	if x.has(id) {
		panic("paged: block published twice")
	}
	copy(x.block(id), tokens)
	if parent == 0 && salt != "" {
		x.salts[id] = salt
	}
	x.last++
	x.len++
	h := x.digest(parent, salt, tokens)
	first := x.bucket(h)
	x.blocks[id] = publication{serial: x.last, parent: parent, hash: h, next: *first}
	*first = id + 1
}

// remove forgets a published block.
func (x *index) remove(id int32) {
	link := x.bucket(x.blocks[id].hash)
	for *link != id+1 {
		link = &x.blocks[*link-1].next
	}
	*link = x.blocks[id].next
	x.blocks[id] = publication{}
	delete(x.salts, id)
	x.len--
}

func (x *index) has(id int32) bool { return x.blocks[id].serial != 0 }

func (x *index) serial(id int32) uint64 { return x.blocks[id].serial }

func (x *index) block(id int32) []int32 {
	return x.tokens[int(id)*x.size : (int(id)+1)*x.size]
}

func (x *index) bucket(h uint64) *int32 { return &x.buckets[h&uint64(len(x.buckets)-1)] }
