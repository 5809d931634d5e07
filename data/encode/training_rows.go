package encode

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/shard"
)

// sampledRows is the maximum number of different training rows in a RowSample.
const sampledRows = 4096

// A RowSample recognises training rows by their encoded features, in any order, in any file format and among other
// rows. It holds the training rows whose hash begins with Zeros zero bits; for a small table these are all rows.
type RowSample struct {
	Zeros    int     `json:"zeros"`
	Rows     int     `json:"rows"`     // number of training rows with such a hash
	Repeated float64 `json:"repeated"` // proportion of them that are equal to another training row
	// the hashes leave out products of groups and features, which other features determine
	Base bool `json:"base,omitempty"`
	// the next 32 bits of every hash, encoded as ascending differences in base64
	Hashes string `json:"hashes"`
}

// TrainingRows counts the encoded rows that are equal to training rows in every feature.
type TrainingRows struct {
	Compared int `json:"compared"` // number of rows that could be compared: all, or a sample of them
	Equal    int `json:"equal"`    // number of compared rows that are equal
	Rows     int `json:"rows"`     // number of encoded rows
	// expected proportion of new rows that are equal to training rows by chance
	Expected float64 `json:"expected"`

	known int // number of training rows from which Expected was estimated
}

// hashRows passes the hashes of all rows of x to put, one shard at a time and under a lock. A hash depends only on the
// values, rounded to float32 if narrow is set, and not on their storage.
func hashRows(x design.Matrix, narrow bool, put func(hashes []uint64)) {
	n, columns := x.Dims()
	salt := make([]uint64, columns)
	for j := range salt {
		salt[j] = mixBits(uint64(j) + 1)
	}
	sparse, _ := x.(*design.Sparse)
	if m, mapped := x.(*design.Mapped); mapped {
		sparse, _ = m.Matrix.(*design.Sparse)
	}
	var lock sync.Mutex
	shard.Run(n, func(_, lo, hi int) {
		hashes, row := make([]uint64, hi-lo), make([]float64, columns)
		for i := range hashes {
			sum := uint64(0)
			if sparse != nil {
				at, values := sparse.Row(lo + i)
				for k, j := range at {
					sum += hashEntry(values[k], salt[j], narrow)
				}
			} else {
				x.RowTo(row, lo+i)
				for j, v := range row {
					sum += hashEntry(v, salt[j], narrow)
				}
			}
			hashes[i] = mixBits(sum)
		}
		lock.Lock()
		defer lock.Unlock()
		put(hashes)
	})
}

// hashEntry returns the hash of an entry of a row. It is 0 if the entry is 0, since sparse rows do not store such
// entries.
func hashEntry(v float64, salt uint64, narrow bool) uint64 {
	if narrow {
		v = float64(float32(v))
	}
	if v == 0 {
		return 0
	}
	x := math.Float64bits(v)*0x9e3779b97f4a7c15 + salt
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return x ^ x>>29
}

// mixBits returns a hash of x (the finaliser of SplitMix64).
func mixBits(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A hashCount counts rows by their hashes. It counts only hashes that begin with a number of zero bits: the
// smallest number for which at most sampledRows hashes are kept.
type hashCount struct {
	zeros int
	rows  map[uint64]int
}

// add counts a row.
func (c *hashCount) add(hash uint64) {
	if bits.LeadingZeros64(hash) < c.zeros {
		return
	}
	c.rows[hash]++
	for len(c.rows) > sampledRows {
		c.zeros++
		maps.DeleteFunc(c.rows, func(h uint64, _ int) bool { return bits.LeadingZeros64(h) < c.zeros })
	}
}

// sampleRows returns a sample of the rows of d, which are training rows.
func sampleRows(d *Dataset, narrow bool) *RowSample {
	all := hashCount{rows: map[uint64]int{}}
	base := design.WithoutProducts(d.X)
	hashRows(base, narrow, func(hashes []uint64) {
		for _, h := range hashes {
			all.add(h)
		}
	})
	s := &RowSample{Zeros: all.zeros, Base: base != d.X}
	var packed []byte
	single, before := 0, uint32(0)
	for _, hash := range slices.Sorted(maps.Keys(all.rows)) {
		n := all.rows[hash]
		if s.Rows += n; n == 1 {
			single++
		}
		key := s.key(hash)
		packed = binary.AppendUvarint(packed, uint64(key-before))
		before = key
	}
	if s.Rows > 0 {
		s.Repeated = float64(s.Rows-single) / float64(s.Rows)
	}
	s.Hashes = base64.StdEncoding.EncodeToString(packed)
	return s
}

// key returns the bits of a hash that are kept in the sample.
func (s *RowSample) key(hash uint64) uint32 { return uint32(hash << s.Zeros >> 32) }

// keys returns the hashes of the sample. It returns an error if the sample, which may come from a file, is damaged.
func (s *RowSample) keys() (map[uint32]bool, error) {
	damaged := errors.New("the sample of training rows is damaged")
	packed, err := base64.StdEncoding.DecodeString(s.Hashes)
	if err != nil || s.Zeros < 0 || s.Zeros > 32 || s.Rows < 0 || !(s.Repeated >= 0 && s.Repeated <= 1) {
		return nil, damaged
	}
	keys, key := map[uint32]bool{}, uint64(0)
	for len(packed) > 0 {
		step, n := binary.Uvarint(packed)
		if n <= 0 || step > math.MaxUint32-key || len(keys) >= sampledRows {
			return nil, damaged
		}
		key += step
		keys[uint32(key)], packed = true, packed[n:]
	}
	return keys, nil
}

// countEqual compares the rows of a block with the sample, whose hashes are keys, and adds the result to t.
func (s *RowSample) countEqual(keys map[uint32]bool, d *Dataset, narrow bool, t *TrainingRows) {
	x := d.X
	if s.Base {
		x = design.WithoutProducts(x)
	}
	hashRows(x, narrow, func(hashes []uint64) {
		for _, h := range hashes {
			if bits.LeadingZeros64(h) < s.Zeros {
				continue
			}
			if t.Compared++; keys[s.key(h)] {
				t.Equal++
			}
		}
	})
	t.Rows, t.Expected, t.known = t.Rows+d.N, s.Repeated, s.Rows
}

// isMoreThanChance reports whether the number of rows equal to training rows exceeds the number expected among new
// rows of the same kind by at least two rows and four standard deviations.
func (t *TrainingRows) isMoreThanChance() bool {
	if t == nil || t.Compared == 0 || t.known == 0 {
		return false
	}
	n, p := float64(t.Compared), max(t.Expected, 1/float64(t.known))
	deviation := math.Sqrt(n * p * (1 - p) * (1 + n/float64(t.known)))
	return float64(t.Equal) >= n*p+2 && float64(t.Equal) > n*p+4*deviation
}

// String returns a sentence that states how many rows are training rows, or "" if the number can be explained by
// chance.
func (t *TrainingRows) String() string {
	if !t.isMoreThanChance() {
		return ""
	}
	s := fmt.Sprintf("%s of %s rows equal a training row in every encoded feature", printable.Count(t.Equal),
		printable.Count(t.Rows))
	if t.Compared < t.Rows {
		s = fmt.Sprintf("about %s %% of the %s rows equal a training row in every encoded feature (in a sample, %s of %s)",
			strconv.FormatFloat(100*float64(t.Equal)/float64(t.Compared), 'f', 0, 64), printable.Count(t.Rows),
			printable.Count(t.Equal),
			printable.Count(t.Compared))
	}
	if t.Expected >= 0.005 {
		s += fmt.Sprintf(" (about %.0f %% of new rows would do so by chance)", 100*t.Expected)
	}
	return s
}
