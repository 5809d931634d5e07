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
}

// families are the candidates beside the plain average, the simplest first. mean and
// spread are the average and the standard deviation of the losses of the plain average,
// which make the prices free of the scale of the loss; steps is the number of prices of
// an adversary over rows.
func families(r level.Rows, mean, spread float64, steps int) []family {
	var out []family
	price := func(v float64) *float64 {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
		return &v
	}
	if _, err := level.Balanced(r); err == nil {
		out = append(out, family{"balanced", []level.Level{{Average: "balanced", Penalty: "kl"}}})
		f := family{name: "groups"}
		for _, share := range []float64{1, 0.3, 0.1, 0.03, 0.01} {
			f.levels = append(f.levels, level.Level{Penalty: "kl", Adversary: "groups", Prior: "shares", Nu: price(share * mean)})
		}
		out = append(out, f)
	}
	const mildest, strongest = 30.0, 0.3 // of the spread
	for _, penalty := range []string{"chi2", "kl"} {
		f := family{name: "rows, " + penalty}
		for k := range steps {
			at := 0.0
			if steps > 1 {
				at = float64(k) / float64(steps-1)
			}
			f.levels = append(f.levels, level.Level{Penalty: penalty, Nu: price(spread * mildest * math.Pow(strongest/mildest, at))})
		}
		out = append(out, f)
	}
	return out
}
