package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
)

// groupCoefficients returns the coefficients of the model by group, or nil if all groups share them.
func groupCoefficients(m *train.Model) *eval.GroupCoefficients {
	e := m.Encoder
	own := e.GroupCoefficients()
	if len(own) == 0 {
		return nil
	}
	original, _ := nameMargin(m)
	step, _ := stepsOf(m) // entries of sparse vectors have no coefficients by group
	out := &eval.GroupCoefficients{Model: Name(m), Unit: original + " per unit",
		Scaled: fmt.Sprintf("%s %s of a numeric feature, or for a category", original,
			(&eval.Coefficients{Step: step}).PerStep())}
	w := m.Original(m.ScoringCoefficients())
	crossed := 1 // number of group columns of the finest cells
	for _, g := range own {
		crossed = max(crossed, len(g.Inputs))
	}
	// deviations of the coefficients of a group or cell from those of the groups that contain it
	deviation := make(map[string]float64)
	for _, g := range own {
		deviation[cellKey(g.Column, g.Inputs, g.Levels)] = w[g.Product]
	}
	at := make(map[string]int)
	var columns []string
	for _, g := range own {
		for _, i := range g.Inputs {
			if name := e.Inputs[i].Name; !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
		if len(g.Inputs) < crossed && slices.ContainsFunc(own, func(h encode.GroupCoefficient) bool {
			return len(h.Inputs) > len(g.Inputs) && h.Column == g.Column
		}) {
			continue // the sums are in the panel of the cells
		}
		key := fmt.Sprint(g.Inputs, g.Column)
		k, ok := at[key]
		if !ok {
			k = len(out.Panels)
			at[key] = k
			var by []string
			for _, i := range g.Inputs {
				by = append(by, e.Inputs[i].Name)
			}
			c := e.Columns[g.Column]
			out.Panels = append(out.Panels, eval.GroupCoefficient{Feature: c.Name, By: strings.Join(by, " × "),
				Scale: eval.Num(c.Scale), Shared: eval.Num(w[g.Column])})
		}
		q := &out.Panels[k]
		q.Labels = append(q.Labels, strings.Join(g.Levels, " / "))
		q.Group = append(q.Group, eval.Num(w[g.Column]+sumOfParts(deviation, g)))
	}
	out.About = fmt.Sprintf("The groups of %s have their own coefficients, shrunk towards the shared coefficients",
		printable.NameList(columns, "and"))
	if d := m.Result.Design; !d.IsShared() && d.Taken > 0 {
		best := d.Best(len(d.Ridges) - 1)
		change := fmt.Sprintf("%.1f\u00a0%% lower", -100*best.Change/d.Shared)
		if best.Change >= 0 {
			change = fmt.Sprintf("%.1f\u00a0%% higher", 100*best.Change/d.Shared)
		}
		ridges := fmt.Sprintf("κ = %v: the ridge penalty on the groups’ deviations is %[1]v times that on the shared "+
			"coefficients", d.Ridges[0])
		if len(d.Ridges) > 1 {
			ridges = fmt.Sprintf("the ridge penalty on the deviations is κ = %v times that on the shared coefficients for "+
				"groups, and κ = %v times for combinations of groups", d.Ridges[0], d.Best(1).Ridge)
		}
		out.About += fmt.Sprintf(
			" (%s). The out-of-fold mean loss of %s is %s (standard error %.1f\u00a0%%) than with shared coefficients only, in "+
				"%d-fold cross-validation on %s training rows",
			ridges, Baseline, change, 100*best.SE/d.Shared, d.Folds, printable.Count(d.Rows))
	}
	out.About += "."
	return out
}

// cellKey returns a key that identifies the coefficient of a column in a cell.
func cellKey(column int, inputs []int, levels []string) string {
	return fmt.Sprintf("%d %v %q", column, inputs, levels)
}

// sumOfParts returns the sum of the deviations, in one coefficient, of a cell and of all groups and crossings that
// contain it.
func sumOfParts(deviation map[string]float64, g encode.GroupCoefficient) (sum float64) {
	for part := 1; part < 1<<len(g.Inputs); part++ {
		var inputs []int
		var levels []string
		for k := range g.Inputs {
			if part>>k&1 == 1 {
				inputs, levels = append(inputs, g.Inputs[k]), append(levels, g.Levels[k])
			}
		}
		sum += deviation[cellKey(g.Column, inputs, levels)]
	}
	return sum
}
