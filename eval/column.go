package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/drotrain/drotrain/memory"
)

// A Column is an original feature of the evaluated rows: numbers, or codes into Levels.
type Column struct {
	Name   string
	Unit   string
	Value  []float64 // n values of a numeric column, in original units
	Levels []string  // for a categorical column, the names of its levels
	Code   []int32   // n codes of a categorical column; −1 if the value is missing

	// Load, if not nil, returns the column with its values, which this Column does not keep. It is called when
	// the values are needed. If Done of the returned column is not nil, it is called when the values can be
	// freed.
	Load func() (Column, error)
	Done func()
}

// loaded returns the column with its n values in memory.
func (c Column) loaded(n int) (Column, error) {
	if c.Load != nil {
		var err error
		if c, err = c.Load(); err != nil {
			return c, err
		}
	}
	return c, c.Check(n)
}

// free releases the values of a loaded column.
func (c Column) free() {
	if c.Done != nil {
		c.Done()
	}
}

// Check returns an error unless the column has values for n rows.
func (c Column) Check(n int) error {
	if c.Levels == nil {
		if len(c.Value) != n {
			return fmt.Errorf("eval: column %q has %d values for %d rows", c.Name, len(c.Value), n)
		}
		return nil
	}
	if len(c.Code) != n {
		return fmt.Errorf("eval: column %q has %d codes for %d rows", c.Name, len(c.Code), n)
	}
	for i, k := range c.Code {
		if k < -1 || int(k) >= len(c.Levels) {
			return fmt.Errorf("eval: column %q has the code %d at row %[4]d, but only %[3]d levels", c.Name, k, len(c.Levels),
				i+1)
		}
	}
	return nil
}

// cellsIn divides a column into labelled cells: its levels, or the quintiles of its numbers (fewer cells if values
// repeat). Codes are allocated in arena; nil means the heap. The code of a missing value is −1.
func (c Column) cellsIn(arena *memory.Arena) (labels []string, code []int32) {
	if c.Levels != nil {
		return c.Levels, c.Code
	}
	cuts := quantileCuts(c.Value, 5)
	code = memory.Make[int32](arena, len(c.Value))
	least := math.Inf(1)
	for i, v := range c.Value {
		if math.IsNaN(v) {
			code[i] = -1
			continue
		}
		least = min(least, v)
		k, _ := slices.BinarySearch(cuts, v) // cuts[k−1] < v ≤ cuts[k]
		code[i] = int32(k)
	}
	if len(cuts) == 0 {
		return []string{formatCut(least)}, code
	}
	labels = []string{"≤ " + formatCut(cuts[0])}
	if cuts[0] <= least {
		labels[0] = formatCut(least)
	}
	for k := 1; k < len(cuts); k++ {
		labels = append(labels, fmt.Sprintf("%s to %s", formatCut(cuts[k-1]), formatCut(cuts[k])))
	}
	return append(labels, "> "+formatCut(cuts[len(cuts)-1])), code
}

// quantileCuts returns at most k−1 increasing values of x that divide x into approximately equal parts; none of
// them is the largest value. NaN is ignored. If x is long, a sample is used.
func quantileCuts(x []float64, k int) []float64 {
	s := slices.DeleteFunc(thinSample(x), math.IsNaN)
	slices.Sort(s)
	var cuts []float64
	for j := 1; j < k && len(s) > 0; j++ {
		v := s[max(0, (j*len(s)+k-1)/k-1)]
		if v < s[len(s)-1] && (len(cuts) == 0 || v > cuts[len(cuts)-1]) {
			cuts = append(cuts, v)
		}
	}
	return cuts
}

// maxForCuts is the maximum number of values from which cuts are computed; with 2¹⁴ values, the error of a cut is
// less than a hundredth of the rows.
const maxForCuts = 1 << 14

// thinSample returns a copy of x or, if x is long, a systematic sample with pseudo-random offsets.
func thinSample(x []float64) []float64 {
	step := len(x) / maxForCuts
	if step < 2 {
		return slices.Clone(x)
	}
	out := make([]float64, len(x)/step)
	place := rand.New(rand.NewPCG(uint64(len(x)), uint64(step)))
	for j := range out {
		out[j] = x[j*step+place.IntN(step)]
	}
	return out
}

// formatCut formats a cut point as it is in the data, without grouping or trailing zeros. It has six significant digits
// if it has many, or those before the decimal point if these are more.
func formatCut(x float64) string {
	size := math.Abs(x)
	text := strconv.FormatFloat(size, 'f', -1, 64)
	switch {
	case size >= 1e15:
		text = strconv.FormatFloat(size, 'g', 6, 64)
	case size >= 1e6:
		text = strconv.FormatFloat(size, 'f', 0, 64)
	case len(text) > len("12345.67"):
		text = strconv.FormatFloat(size, 'g', 6, 64)
	}
	if x < 0 {
		return "−" + text
	}
	return text
}
