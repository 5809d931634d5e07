package data

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/schema"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// How a table is encoded, and what is said of it, with one row, level or missing value more
// at a time.
func TestEncodersTurnWhereTheyDid(t *testing.T) {
	var out strings.Builder
	turns := func(what string, first, last int, s func(k int) Spec, rows func(k int) int, cell func(k, r int) string) {
		out.WriteString(goldentest.Turns(what, first, last, func(k int) string {
			var b strings.Builder
			b.WriteString("a,b,y\n")
			for r := range rows(k) {
				b.WriteString(cell(k, r) + "\n")
			}
			f, err := ReadBytes(t.Context(), "t.csv", []byte(b.String()))
			if err != nil {
				return err.Error()
			}
			spec := s(k)
			spec.Target = "y"
			e, err := NewEncoder(t.Context(), f, nil, spec)
			if err != nil {
				return err.Error()
			}
			said := []string{fmt.Sprintf("%s %q %.4g %.4g", e.Target.Task, e.Target.Positive, e.Target.Shift, e.Target.Scale)}
			for _, c := range e.Columns {
				said = append(said, fmt.Sprintf("%s %.4g %.4g", c.Name, c.Shift, c.Scale))
			}
			said = append(said, e.Notes...)
			d, report, err := e.Encode(t.Context(), f, nil)
			if err != nil {
				return strings.Join(append(said, err.Error()), "; ")
			}
			for _, g := range d.Groups {
				said = append(said, fmt.Sprintf("groups %s %q", g.Name, g.Labels))
			}
			return strings.Join(append(said, fmt.Sprintf("%d × %d", d.N, d.D), report.String()), "; ")
		}))
	}
	spec := func(s Spec) func(int) Spec { return func(int) Spec { return s } }
	n := func(n int) func(int) int { return func(int) int { return n } }
	k0 := func(k int) int { return k }
	some := func(is bool, text string) string {
		if is {
			return text
		}
		return ""
	}
	spline := Spec{Impute: "mean", Transforms: schema.Transforms{Spline: map[string]int{"a": 4}}}
	turns("numbers below a spline of four knots", 0, 8, spec(spline), n(8), func(k, r int) string {
		return some(r < k, fmt.Sprint(r*r)) + fmt.Sprintf(",%d,%d", r%3, r*r%7)
	})
	turns("different numbers below a spline of four knots", 1, 8, spec(spline), n(40), func(k, r int) string {
		return fmt.Sprintf("%d,%d,%d", r%k, r%3, r*r%7)
	})
	turns("rows whose texts all differ", 19, 22, spec(Spec{}), k0, func(k, r int) string { return fmt.Sprintf("t%d,%d,%d", r, r%3, r%2) })
	turns("levels where three may be", 1, 5, spec(Spec{MaxLevels: 3}), n(40), func(k, r int) string { return fmt.Sprintf("t%d,%d,%d", r%k, r%3, r%2) })
	turns("levels where three may be, the rarest merged", 1, 6, spec(Spec{MaxLevels: 3, MinCount: 2}), n(40), func(k, r int) string { return fmt.Sprintf("t%d,%d,%d", r%k, r%3, r%2) })
	turns("the least rows of a level", 0, 7, func(k int) Spec { return Spec{MinCount: k} }, n(21), func(k, r int) string {
		level := 0
		for left := r; left > level; level++ {
			left -= level + 1
		}
		return fmt.Sprintf("t%d,%d,%d", level, r%3, r%2)
	})
	turns("levels of a category of numbers", 1, 4, spec(Spec{Categorical: []string{"a"}}), n(12), func(k, r int) string { return fmt.Sprintf("%d,%d,%d", r%k, r%3, r%2) })
	turns("levels of a category with missing ones", 0, 12, spec(Spec{}), n(12), func(k, r int) string { return some(r >= k, fmt.Sprintf("t%d", r%3)) + fmt.Sprintf(",%d,%d", r%3, r%2) })
	for _, impute := range []string{"", "mean", "median", "drop"} {
		turns("missing numbers, impute "+impute, 0, 12, spec(Spec{Impute: impute}), n(12), func(k, r int) string { return some(r >= k, fmt.Sprint(r*r)) + fmt.Sprintf(",%d,%d", r%3, r%2) })
		turns("missing targets, impute "+impute, 0, 12, spec(Spec{Impute: impute, ScaleTarget: true}), n(12), func(k, r int) string {
			return fmt.Sprintf("%d,%d,", r, r%3) + some(r >= k, fmt.Sprint(r*r))
		})
	}
	turns("values of a target of numbers", 1, 4, spec(Spec{ScaleTarget: true}), n(12), func(k, r int) string { return fmt.Sprintf("%d,%d,%d", r, r%3, r%k) })
	turns("values of a target of text", 1, 4, spec(Spec{}), n(12), func(k, r int) string { return fmt.Sprintf("%d,%d,c%d", r, r%3, r%k) })
	turns("values of a target of two classes", 1, 4, spec(Spec{Task: Binary}), n(12), func(k, r int) string { return fmt.Sprintf("%d,%d,%d", r, r%3, r%k) })
	turns("the least target below a logarithm", -1, 2, spec(Spec{TargetTransform: "log"}), n(12), func(k, r int) string { return fmt.Sprintf("%d,%d,%d", r, r%3, k+r) })
	turns("the least target below a logarithm of 1 and more", -3, 1, spec(Spec{TargetTransform: "log1p"}), n(12), func(k, r int) string { return fmt.Sprintf("%d,%d,%d", r, r%3, k+r) })
	turns("the least number below a logarithm", -1, 2, spec(Spec{Transforms: schema.Transforms{Log: []string{"a"}}}), n(12), func(k, r int) string { return fmt.Sprintf("%d,%d,%d", k+r, r%3, r%2) })
	turns("different numbers of a feature", 1, 3, spec(Spec{Intercept: true}), n(12), func(k, r int) string { return fmt.Sprintf("%d,%d,%d", r%k, r%3, r%2) })
	turns("different numbers that are squared", 1, 3, spec(Spec{Transforms: schema.Transforms{Square: []string{"a"}}}), n(12), func(k, r int) string { return fmt.Sprintf("%d,%d,%d", r%k-1, r%3, r%2) })
	turns("levels that are multiplied", 1, 4, spec(Spec{Transforms: schema.Transforms{Interact: [][2]string{{"a", "b"}}}}), n(12), func(k, r int) string { return fmt.Sprintf("t%d,%d,%d", r%k, r%5, r%2) })
	turns("numbers that name groups", 1, 4, spec(Spec{Groups: []string{"a"}}), n(12), func(k, r int) string { return fmt.Sprintf("%d,%d,%d", r%k, r%3, r%2) })
	turns("rows of two groups", 0, 4, spec(Spec{Groups: []string{"a", "b"}}), n(12), func(k, r int) string { return fmt.Sprintf("t%v,u%d,%d", r < k, r%2, r%2) })
	turns("rows", 0, 4, spec(Spec{}), k0, func(k, r int) string { return fmt.Sprintf("%d,%d,%d", r, r%3, r%2) })
	turns("infinite numbers", 0, 2, spec(Spec{}), n(12), func(k, r int) string {
		if r > 0 && r <= k {
			return fmt.Sprintf("inf,%d,%d", r%3, r%2)
		}
		return fmt.Sprintf("%d,%d,%d", r, r%3, r%2)
	})
	goldentest.Text(t, filepath.Join("testdata", "turns.txt"), out.String())
}
