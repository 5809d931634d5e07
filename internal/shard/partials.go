package shard

// Partials holds one vector for each shard. The vectors are far enough apart that no two share a cache line. They
// are summed in the order of the shards.
type Partials struct {
	first, count, width, stride int
	v                           []float64 // allocated by the first Clear
}

// NewPartials returns the vectors of the shards [first, end), of the given width.
func NewPartials(first, end, width int) *Partials {
	const apart = 16 // length of a pair of cache lines
	return &Partials{first: first, count: end - first, width: width, stride: (width + 2*apart - 1) / apart * apart}
}

// Width returns the length of each vector.
func (p *Partials) Width() int { return p.width }

// Clear sets all vectors to zero. It must be called before the first use.
func (p *Partials) Clear() {
	if p.v == nil {
		p.v = make([]float64, p.count*p.stride)
		return
	}
	clear(p.v)
}

// Shard returns the vector of shard s.
func (p *Partials) Shard(s int) []float64 {
	s -= p.first
	return p.v[s*p.stride : s*p.stride+p.width]
}

// SumTo stores the sum of the vectors in dst.
func (p *Partials) SumTo(dst []float64) {
	clear(dst)
	for s := range p.count {
		for i, v := range p.Shard(p.first + s) {
			dst[i] += v
		}
	}
}
