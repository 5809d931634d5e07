package verify

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"slices"

	"github.com/drotrain/drotrain/data"
)

// Names of the columns of a proof. The last three hold the same text in every row.
const (
	partColumn   = "part"   // of a model that is a mean: the averaged model, counted from 1
	rowColumn    = "row"    // row in the table, counted from 1
	weightColumn = "weight" // column of the adversary's weights
	// derivative of the loss with respect to the margin; slope_0, slope_1, … for several classes
	slopeColumn  = "slope"
	modelColumn  = "model"  // Model.Identifier
	dataColumn   = "data"   // a name of the sources
	digestColumn = "digest" // SHA-256 of the numbers
)

// A Proof holds weights and slopes that prove a lower bound, one row for each training row. The proof of a mean of
// several models concatenates the rows of these models. Columns ties the proof to a model file and its data, and
// [ReadProof] returns the proof that [Check] takes.
type Proof struct {
	Parts  []int     // the averaged model that a row belongs to, ascending from 0; nil: the model is no mean
	Rows   []int     // of the table, ascending from 0 within a part
	Weight []float64 // n
	Slope  []float64 // n·k slopes, by rows

	model, data, digest string // as stored in the file
}

// slopeName returns the name of the column that holds the slopes of an output.
func slopeName(output, outputs int) string {
	if outputs == 1 {
		return slopeColumn
	}
	return fmt.Sprintf("%s_%d", slopeColumn, output)
}

// Columns returns the proof as a table: its numbers, the SHA-256 of the model file, a name of the data and the SHA-256
// of the numbers. Parts, and rows within a part, must ascend.
func (p *Proof) Columns(model string, sources []data.Source) []data.Column {
	n := len(p.Rows)
	numbers := func(name, kind string, of func(j int) float64) data.Column {
		c := data.Column{Name: name, Kind: data.Numeric, Type: kind, Integer: kind == "int64", Number: make([]float64, n)}
		for j := range n {
			c.Number[j] = of(j)
		}
		return c
	}
	var columns []data.Column
	if p.Parts != nil {
		columns = append(columns, numbers(partColumn, "int64", func(j int) float64 { return float64(p.Parts[j] + 1) }))
	}
	columns = append(columns, numbers(rowColumn, "int64", func(j int) float64 { return float64(p.Rows[j] + 1) }),
		numbers(weightColumn, "float64", func(j int) float64 { return p.Weight[j] }))
	k := len(p.Slope) / max(1, n)
	for c := range k {
		columns = append(columns, numbers(slopeName(c, k), "float64", func(j int) float64 { return p.Slope[j*k+c] }))
	}
	for _, t := range [][2]string{{modelColumn, model}, {dataColumn, nameSources(sources)}, {digestColumn, p.digestOf()}} {
		columns = append(columns, data.Column{Name: t[0], Kind: data.Categorical, Type: "string", Code: make([]int32, n),
			Level: t[1:]})
	}
	return columns
}

// part returns the proof of one averaged model, or all of a proof without parts.
func (p *Proof) part(part int) *Proof {
	if p.Parts == nil {
		return p
	}
	lo, _ := slices.BinarySearch(p.Parts, part)
	hi, _ := slices.BinarySearch(p.Parts, part+1)
	k := len(p.Slope) / max(1, len(p.Rows))
	return &Proof{Rows: p.Rows[lo:hi], Weight: p.Weight[lo:hi], Slope: p.Slope[lo*k : hi*k]}
}

// digestOf returns the SHA-256 of the numbers of the proof in hexadecimal. It hashes, row after row, the part (if there
// are parts), the row number, the weight and the slopes, as little-endian float64.
func (p *Proof) digestOf() string {
	sum, k := sha256.New(), len(p.Slope)/max(1, len(p.Rows))
	for j, row := range p.Rows {
		if p.Parts != nil {
			hashNumbers(sum, float64(p.Parts[j]+1))
		}
		hashNumbers(sum, float64(row+1), p.Weight[j])
		hashNumbers(sum, p.Slope[j*k:(j+1)*k]...)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func hashNumbers(sum hash.Hash, values ...float64) {
	for _, v := range values {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		sum.Write(b[:])
	}
}

// ReadProof reads a proof from a table with the columns that Columns returns, for a model with the given number of
// margins (outputs) in each row. It returns an error if a value cannot occur in a proof, such as a negative weight.
func ReadProof(ctx context.Context, f *data.Frame, outputs int) (*Proof, error) {
	if outputs < 1 {
		return nil, fmt.Errorf("a proof needs at least one margin per row, but this proof has %d", outputs)
	}
	p := &Proof{Rows: make([]int, f.Rows), Weight: make([]float64, f.Rows), Slope: make([]float64, f.Rows*outputs)}
	for _, t := range []struct {
		name string
		to   *string
	}{{modelColumn, &p.model}, {dataColumn, &p.data}, {digestColumn, &p.digest}} {
		c, err := f.Column(ctx, t.name)
		if err != nil {
			return nil, err
		}
		for j := range f.Rows {
			if text := c.Text(j); j > 0 && text != *t.to {
				return nil, &data.Error{Path: f.Name(), Column: t.name, Row: j + 1,
					Msg: "not a proof: the column must have the same text in every row, but this row differs from " +
						"the first"}
			} else if j == 0 {
				*t.to = text
			}
		}
	}
	read := func(name string, put func(j int, v float64) bool) error {
		c, err := f.Column(ctx, name)
		if err != nil {
			return err
		}
		for j := range f.Rows {
			if c.Number == nil || c.IsNull(j) || math.IsNaN(c.Number[j]) || math.IsInf(c.Number[j], 0) || !put(j, c.Number[j]) {
				return &data.Error{Path: f.Name(), Column: name, Row: j + 1,
					Msg: fmt.Sprintf("not a proof: the value is %q", c.Text(j))}
			}
		}
		return nil
	}
	isCount := func(v float64) bool { return v == math.Trunc(v) && v >= 1 && v < 1<<53 }
	if f.Has(partColumn) {
		p.Parts = make([]int, f.Rows)
		err := read(partColumn, func(j int, v float64) bool {
			p.Parts[j] = int(v) - 1
			return isCount(v) && (j == 0 || p.Parts[j] >= p.Parts[j-1])
		})
		if err != nil {
			return nil, err
		}
	}
	err := read(rowColumn, func(j int, v float64) bool {
		p.Rows[j] = int(v) - 1
		starts := j == 0 || p.Parts != nil && p.Parts[j] > p.Parts[j-1]
		return isCount(v) && (starts || p.Rows[j] > p.Rows[j-1])
	})
	if err != nil {
		return nil, err
	}
	if err := read(weightColumn, func(j int, v float64) bool { p.Weight[j] = v; return v >= 0 }); err != nil {
		return nil, err
	}
	for c := range outputs {
		put := func(j int, v float64) bool { p.Slope[j*outputs+c] = v; return true }
		if err := read(slopeName(c, outputs), put); err != nil {
			return nil, err
		}
	}
	return p, nil
}
