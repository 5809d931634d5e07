package tune

import (
	"math"
	"strconv"

	"github.com/drotrain/drotrain/train/level"
)

// A family is levels from mild to strong, each solved from its neighbour, or an average.
type family struct {
	name   string
	levels []level.Level
	ridge  []float64 // by level: what μ is multiplied by; nil: 1
}

// times is what μ is multiplied by for a level.
func (f *family) times(i int) float64 {
	if f.ridge == nil {
		return 1
	}
	return f.ridge[i]
}

// scales make prices free of the scale of the loss: the average and the standard deviation
// of the losses of the plain average.
type scales struct{ mean, deviation float64 }

// families are the candidates beside the plain average, the simplest first. steps is the
// number of prices of an adversary over rows.
func families(r level.Rows, s scales, steps int) []family {
	var out []family
	price := func(v float64) *float64 {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
		return &v
	}
	if _, err := level.Balanced(r); err == nil {
		out = append(out, family{name: "balanced", levels: []level.Level{{Average: "balanced", Penalty: "kl"}}})
		groups := func(share, adjust float64) level.Level {
			return level.Level{Penalty: "kl", Adversary: "groups", Prior: "shares", Nu: price(share * s.mean), Adjust: *price(adjust * s.deviation)}
		}
		f := family{name: "groups"}
		for _, share := range []float64{1, 0.3, 0.1, 0.03, 0.01} {
			f.levels = append(f.levels, groups(share, 0))
		}
		out = append(out, f)
		f = family{name: "groups, adjusted"}
		for _, adjust := range []float64{1, 3} { // in standard errors of a group's mean
			for _, share := range []float64{0.1, 0.01} {
				f.levels = append(f.levels, groups(share, adjust))
			}
		}
		out = append(out, f)
	}
	const mildest, strongest = 30.0, 0.3 // of the deviation
	for _, penalty := range []string{"chi2", "kl"} {
		f := family{name: "rows, " + penalty}
		for k := range steps {
			at := 0.0
			if steps > 1 {
				at = float64(k) / float64(steps-1)
			}
			f.levels = append(f.levels, level.Level{Penalty: penalty, Nu: price(s.deviation * mildest * math.Pow(strongest/mildest, at))})
		}
		out = append(out, f)
	}
	return out
}
