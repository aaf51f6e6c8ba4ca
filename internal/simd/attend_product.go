package simd

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
	b         []int16
	bStep     int
	bGroup    int
	rows      int
	pairs     int
	cols      int
	add       bool    // to what is in dst
	ahead     []int16 // what comes next: as much of it as of b is fetched into the cache
}

func mulInts(p intProduct) {
	if p.rows < 1 || p.pairs < 1 || p.cols < 1 {
		return
	}
	_ = p.dst[(p.rows-1)*p.dstStride+p.cols-1]
	_ = p.a[(p.rows-1)*p.aStride+2*p.pairs-1]
	_ = p.b[p.at(p.pairs-1, p.cols-1)+1]
	if len(p.ahead) == 0 {
		p.ahead = p.b
	}
	mulIntsTier(&p)
}

// at is the index of b(2j, c).
func (p *intProduct) at(j, c int) int { return j*p.bStep + c/group*p.bGroup + c%group*2 }

// mulIntsGeneric computes the columns from first on.
func mulIntsGeneric(p *intProduct, first int) {
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
				b := p.b[at : at+2 : at+2]
				sum += int32(a[j])*int32(b[0]) + int32(a[j+1])*int32(b[1])
				at += p.bStep
			}
			*to = sum
		}
	}
}
