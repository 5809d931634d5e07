package ablation

import (
	"fmt"
	"io"
	"math"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/tuning"
)

// Tuned are a method (nil: what dro.Choose says), and the same with every constant smaller
// and larger, of those whose name the filter lets pass.
func Tuned(m dro.Method, filter func(name string) bool) []Variant {
	out := []Variant{{Name: "as it is", Method: m}}
	for _, c := range tuning.All() {
		if filter(c.Name) {
			for _, v := range c.Tried {
				out = append(out, Variant{Name: fmt.Sprintf("%s: %.6g", c.Name, v), Method: m, Constant: c, Value: v})
			}
		}
	}
	return out
}

// SummaryTuned writes a line for every constant: the arithmetic with the smaller value and
// with the larger one, over that with the value in use (geometric mean over the cells, and
// the cell where that is most), in how many of the cells it matters, and how many are
// not certified with either and are with the value in use.
func SummaryTuned(w io.Writer, variants []Variant, rows []Row) {
	base, of := map[string]Row{}, map[string][]Row{}
	for _, r := range rows {
		if r.Variant == variants[0].Name {
			base[r.Cell] = r
		} else {
			of[r.Variant] = append(of[r.Variant], r)
		}
	}
	fmt.Fprintln(w, "| constant | unit | value | tried | arithmetic | at most | cells it changes | lost |")
	fmt.Fprintln(w, "|---|---|--:|--:|--:|--:|--:|--:|")
	for i := 1; i+1 < len(variants); i += 2 {
		c := variants[i].Constant
		var mean, most [2]float64
		lost := 0
		changed := map[string]bool{}
		for k := range 2 {
			count := 0.0
			for _, r := range of[variants[i+k].Name] {
				b := base[r.Cell]
				if b.Status == dro.Certified && r.Status != dro.Certified {
					lost++
				}
				ratio := r.Arithmetic / b.Arithmetic
				if !(ratio > 0) {
					continue
				}
				mean[k] += math.Log(ratio)
				most[k] = math.Max(most[k], ratio)
				changed[r.Cell] = changed[r.Cell] || ratio != 1
				count++
			}
			mean[k] = math.Exp(mean[k] / math.Max(1, count))
		}
		cells := 0
		for _, yes := range changed {
			if yes {
				cells++
			}
		}
		fmt.Fprintf(w, "| %s | %s | %.6g | %.6g, %.6g | %.2f, %.2f | %.1f, %.1f | %d of %d | %d |\n", c.Name, c.Unit, c.Value, c.Tried[0], c.Tried[1],
			mean[0], mean[1], most[0], most[1], cells, len(base), lost)
	}
}
