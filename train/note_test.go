package train

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// A note states that the effective sample size is small if it is less than a twentieth of the rows, and only then.
func TestFit_NotesFewRowsOfAdversary(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(5, 5))
	x := data.Column{Name: "x", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	y := data.Column{Name: "y", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	for i := range n {
		x.Number[i] = rng.NormFloat64()
		y.Number[i] = x.Number[i] + rng.NormFloat64()
	}
	f := newFrame(t, x, y)
	for share, told := range map[float64]bool{0.04: true, 0.048: true, 0.052: false, 0.09: false} {
		c := keepingRows()
		c.Target, c.Holdout, c.Penalty, c.Ess = "y", 0, "chi2", level.At(share)
		m := fitFrame(t, f, c)
		if said := strings.Contains(strings.Join(m.Notes, "\n"), "the adversary puts its weight on few rows"); said != told {
			t.Errorf("%v of the rows, %v effective of %d: told %v", share, m.Result.EffectiveSampleSize, m.Result.N, said)
		}
	}
}
