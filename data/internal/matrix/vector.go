package matrix

import (
	"math"
	"math/bits"

	"github.com/drotrain/drotrain/data/table"
)

// A Vector encodes entries of sparse vectors: column First+k holds the entry at index Places[k], divided by
// Scales[k]. Entries at other indices are omitted.
type Vector struct {
	Sparse *table.Sparse
	Places *Places
	Scales []float64 // a nil Scales stands for ones
	First  int
}

// each calls use with the columns and values of the nonzero entries of a row, in ascending order of the columns.
func (v *Vector) each(from *table.SparseReader, row int, use func(column int, value float64)) {
	index, value := from.Row(row)
	for i, place := range index {
		k, known := v.Places.Find(place)
		if !known {
			continue
		}
		x := value[i]
		if v.Scales != nil {
			x /= v.Scales[k]
		}
		if x != 0 {
			use(v.First+k, x)
		}
	}
}

// Overflow returns the first row of a set with an entry that is not finite after encoding (as a float32 if narrow
// is set), and the index and value of this entry. If there is none, the row is −1. It panics with a [*table.Error] if
// the entries cannot be read; see [table.Catch].
func (v *Vector) Overflow(rows Set, narrow bool) (row int, place int32, value float64) {
	from := v.Sparse.Reader()
	for _, r := range rows.All() {
		index, values := from.Row(r)
		for i, place := range index {
			k, known := v.Places.Find(place)
			if !known {
				continue
			}
			z := values[i]
			if v.Scales != nil {
				z /= v.Scales[k]
			}
			if z-z != 0 || narrow && math.IsInf(float64(float32(z)), 0) {
				return r, place, values[i]
			}
		}
	}
	return -1, 0, 0
}

// Places is a set of indices of vectors. It finds the rank of an index in constant time, and takes 2 bits for each
// index up to the largest.
type Places struct {
	word   []uint64
	before []int32 // number of members in the preceding words, for each word
}

// NewPlaces returns an empty set of indices below width.
func NewPlaces(width int) *Places { return &Places{word: make([]uint64, (width+63)/64)} }

// Add adds an index to the set. After the last Add, Rank must be called before Find.
func (p *Places) Add(place int32) { p.word[place>>6] |= 1 << (place & 63) }

// Rank prepares Find and returns the members in ascending order.
func (p *Places) Rank() (members []int32) {
	p.before = make([]int32, len(p.word))
	for w, b := range p.word {
		p.before[w] = int32(len(members))
		for ; b != 0; b &= b - 1 {
			members = append(members, int32(w<<6+bits.TrailingZeros64(b)))
		}
	}
	return members
}

// Find returns the number of smaller members, and whether place is a member.
func (p *Places) Find(place int32) (rank int, member bool) {
	w := int(place >> 6)
	if w >= len(p.word) {
		return 0, false
	}
	bit := uint64(1) << (place & 63)
	if p.word[w]&bit == 0 {
		return 0, false
	}
	return int(p.before[w]) + bits.OnesCount64(p.word[w]&(bit-1)), true
}
