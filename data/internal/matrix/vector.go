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

// Places is a set of indices of vectors. It finds the rank of an index in constant time. It takes 12 kB for every
// 65 536 adjacent indices that have a member among them.
type Places struct {
	page []*placePage // nil for pages without members
}

// wordsOfPage is the number of words of a page, of 64 indices each.
const wordsOfPage = 1 << 10

// A placePage holds the members among adjacent indices.
type placePage struct {
	word   [wordsOfPage]uint64
	before [wordsOfPage]int32 // number of members in the preceding words and pages, for each word
}

// NewPlaces returns an empty set of indices below width.
func NewPlaces(width int) *Places {
	const places = 64 * wordsOfPage
	return &Places{page: make([]*placePage, (width+places-1)/places)}
}

// locate returns the page, word and bit of an index.
func locate(place int32) (page, word int, bit uint64) {
	w := int(place >> 6)
	return w / wordsOfPage, w % wordsOfPage, 1 << (place & 63)
}

// Add adds an index to the set. After the last Add, SortMembers must be called before Find.
func (p *Places) Add(place int32) {
	page, word, bit := locate(place)
	if p.page[page] == nil {
		p.page[page] = &placePage{}
	}
	p.page[page].word[word] |= bit
}

// SortMembers prepares Find and returns the members in ascending order.
func (p *Places) SortMembers() (members []int32) {
	for k, page := range p.page {
		if page == nil {
			continue
		}
		for w, b := range page.word {
			page.before[w] = int32(len(members))
			for ; b != 0; b &= b - 1 {
				members = append(members, int32((k*wordsOfPage+w)<<6+bits.TrailingZeros64(b)))
			}
		}
	}
	return members
}

// Find returns the number of smaller members, and whether place is a member.
func (p *Places) Find(place int32) (rank int, member bool) {
	k, word, bit := locate(place)
	if k >= len(p.page) || p.page[k] == nil || p.page[k].word[word]&bit == 0 {
		return 0, false
	}
	page := p.page[k]
	return int(page.before[word]) + bits.OnesCount64(page.word[word]&(bit-1)), true
}
