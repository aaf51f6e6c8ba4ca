package simd

// ints are integers of 16 bits, or else of 8.
type ints struct {
	wide   []int16
	narrow []int8
}

func (x ints) cut(lo, hi int) ints {
	if x.narrow != nil {
		return ints{narrow: x.narrow[lo:hi]}
	}
	return ints{wide: x.wide[lo:hi]}
}

func (x ints) len() int { return len(x.wide) + len(x.narrow) }

// intProduct is a product of integer matrices,
//
//	dst[r][c] = sum of a[r][2j]*b(2j, c) + a[r][2j+1]*b(2j+1, c) for j < pairs
//
// for r < rows and c < cols, where b(2j+i, c) = b[j*bStep + c/16*bGroup + c%16*2 + i].
// Sums wrap around.
type intProduct struct {
	dst       []int32
	dstStride int
	a         []int16
	aStride   int
	b         ints
	bStep     int
	bGroup    int
	rows      int
	pairs     int
	cols      int
	add       bool // to what is in dst
	ahead     ints // what comes next: as much of it as of b is fetched into the cache
}

func mulInts(p intProduct) {
	if p.rows < 1 || p.pairs < 1 || p.cols < 1 {
		return
	}
	_ = p.dst[(p.rows-1)*p.dstStride+p.cols-1]
	_ = p.a[(p.rows-1)*p.aStride+2*p.pairs-1]
	if p.at(p.pairs-1, p.cols-1)+2 > p.b.len() {
		panic("simd: mulInts: b ends early")
	}
	if p.ahead.len() == 0 {
		p.ahead = p.b
	}
	mulIntsTier(&p)
}

// at is the index of b(2j, c).
func (p *intProduct) at(j, c int) int { return j*p.bStep + c/group*p.bGroup + c%group*2 }

// mulIntsGeneric computes the columns from first on.
func mulIntsGeneric(p *intProduct, first int) {
	if first >= p.cols {
		return
	}
	if p.b.narrow != nil {
		mulIntsFrom(p, p.b.narrow, first)
	} else {
		mulIntsFrom(p, p.b.wide, first)
	}
}

func mulIntsFrom[T int8 | int16](p *intProduct, b []T, first int) {
	for r := range p.rows {
		a := p.a[r*p.aStride:][:2*p.pairs]
		for c := first; c < p.cols; c++ {
			to := &p.dst[r*p.dstStride+c]
			var sum int32
			if p.add {
				sum = *to
			}
			at := p.at(0, c)
			for j := 0; j < len(a); j += 2 {
				pair := b[at : at+2 : at+2]
				sum += int32(a[j])*int32(pair[0]) + int32(a[j+1])*int32(pair[1])
				at += p.bStep
			}
			*to = sum
		}
	}
}
