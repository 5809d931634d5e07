package shard

import "sync"

// Partials holds one vector for each shard. The vectors are far enough apart that no two share a cache line. They
// are summed in the order of the shards. Wide vectors are added to the sum once their shards are complete, so that
// only those of the shards in progress take memory.
type Partials struct {
	first, count, width, stride int
	v                           []float64 // vectors that are kept, allocated by the first Clear

	mu       sync.Mutex
	merging  bool        // vectors are added to the sum when Complete is called
	of       [][]float64 // vector of each shard; nil if it has none, or has been added
	complete []bool      // shards that are complete
	added    int         // number of shards that have been added
	sum      []float64   // sum of their vectors
	free     [][]float64 // vectors that another shard may use
}

// wide is the length from which vectors are added as soon as possible.
const wide = 1 << 13

// NewPartials returns the vectors of the shards [first, end), of the given width.
func NewPartials(first, end, width int) *Partials {
	const apart = 16 // length of a pair of cache lines
	return &Partials{first: first, count: end - first, width: width, stride: (width + 2*apart - 1) / apart * apart}
}

// EnableMerging lets the vectors of complete shards be added before SumTo if they are wide. Shard must then not be
// called for a complete shard.
func (p *Partials) EnableMerging() *Partials {
	p.merging = p.width >= wide
	return p
}

// Width returns the length of each vector.
func (p *Partials) Width() int { return p.width }

// Clear sets all vectors to zero. It must be called before the first use.
func (p *Partials) Clear() {
	switch {
	case p.merging && p.of == nil:
		p.of, p.complete, p.sum = make([][]float64, p.count), make([]bool, p.count), make([]float64, p.width)
	case p.merging:
		for s := range p.of {
			p.release(s)
		}
		clear(p.complete)
		clear(p.sum)
		p.added = 0
	case p.v == nil:
		p.v = make([]float64, p.count*p.stride)
	default:
		clear(p.v)
	}
}

// release makes the vector of a shard, counted from the first, available to other shards.
func (p *Partials) release(s int) {
	if p.of[s] != nil {
		p.free, p.of[s] = append(p.free, p.of[s]), nil
	}
}

// Shard returns the vector of shard s.
func (p *Partials) Shard(s int) []float64 {
	s -= p.first
	if !p.merging {
		return p.v[s*p.stride : s*p.stride+p.width]
	}
	if p.of[s] == nil {
		p.of[s] = p.take()
	}
	return p.of[s]
}

// take returns a vector of zeros.
func (p *Partials) take() []float64 {
	p.mu.Lock()
	last := len(p.free) - 1
	if last < 0 {
		p.mu.Unlock()
		return make([]float64, p.stride)[:p.width]
	}
	v := p.free[last]
	p.free = p.free[:last]
	p.mu.Unlock()
	clear(v)
	return v
}

// Complete reports that the vector of shard s will no longer change. It need not be called.
func (p *Partials) Complete(s int) {
	if !p.merging {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complete[s-p.first] = true
	for ; p.added < p.count && p.complete[p.added]; p.added++ {
		p.add(p.sum, p.added)
		p.release(p.added)
	}
}

// add adds the vector of a shard, counted from the first, to dst.
func (p *Partials) add(dst []float64, s int) {
	if p.merging && p.of[s] == nil {
		return // zeros
	}
	for i, v := range p.Shard(p.first + s) {
		dst[i] += v
	}
}

// SumTo stores the sum of the vectors in dst.
func (p *Partials) SumTo(dst []float64) {
	clear(dst)
	copy(dst, p.sum)
	for s := p.added; s < p.count; s++ {
		p.add(dst, s)
	}
}
