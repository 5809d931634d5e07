package show

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/drotrain/drotrain/eval"
)

// Adversary writes who holds the worst-case weight, in 80 columns.
func Adversary(w io.Writer, a *eval.Adversary) {
	if a == nil {
		return
	}
	fmt.Fprintf(w, "\nWorst case of %s, %s penalty, ν = %s\n", a.Model, PenaltyName(a.Penalty), Number3(float64(*a.Nu)))
	fmt.Fprintf(w, "  effective rows %s of %s; the heaviest 1 %% hold %s of the weight\n",
		Thousands(int(float64(a.Effective)+0.5)), Thousands(a.N), Percent(float64(a.OnePercent)))
	if n := len(a.Groupings); n > 0 {
		for _, g := range heaviest(a.Groupings[n-1].Groups, 3) {
			fmt.Fprintf(w, "  %s  %s of the weight, %s of the rows\n", Fit(g.Label, 29), PadLeft(Percent(g.Mass), 7), PadLeft(Percent(g.Share), 7))
		}
	}
	for _, s := range a.Warnings {
		Wrapped(w, "  ", s)
	}
}

// heaviest returns the k groups that weigh most beyond their share.
func heaviest(groups []eval.GroupMass, k int) []eval.GroupMass {
	out := slices.Clone(groups)
	slices.SortStableFunc(out, func(a, b eval.GroupMass) int { return cmp.Compare(b.Lift(), a.Lift()) })
	return out[:min(k, len(out))]
}
