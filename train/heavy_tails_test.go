package train

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// A note suggests the Huber loss for symmetric errors with heavy tails, for which its coefficients have a smaller
// error, and for no other errors.
func TestFit_SuggestsHuberForHeavyTails(t *testing.T) {
	student := func(r *rand.Rand) float64 { // of 2 degrees of freedom
		a, b := r.NormFloat64(), r.NormFloat64()
		return r.NormFloat64() / math.Sqrt((a*a+b*b)/2)
	}
	for name, c := range map[string]struct {
		draw func(r *rand.Rand) float64
		loss string
		n    int
		want bool
	}{
		"t with 2 degrees":           {student, "", 1000, true},
		"t with 2 degrees, 100 rows": {student, "", 100, false},
		"t with 2 degrees, huber":    {student, "huber", 1000, false},
		"normal":                     {(*rand.Rand).NormFloat64, "", 1000, false},
		"skewed": {func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) }, "", 1000,
			false},
	} {
		r := rand.New(rand.NewPCG(4, 4))
		x := data.Column{Name: "x", Kind: data.Numeric, Type: "double", Number: make([]float64, c.n)}
		y := data.Column{Name: "y", Kind: data.Numeric, Type: "double", Number: make([]float64, c.n)}
		for i := range c.n {
			x.Number[i] = r.NormFloat64()
			y.Number[i] = 2*x.Number[i] + c.draw(r)
		}
		cfg := keepingRows()
		cfg.Target, cfg.Holdout, cfg.Loss, cfg.Level = "y", 0, c.loss, level.Level{Penalty: "kl", Average: "plain"}
		m := fitFrame(t, newFrame(t, x, y), cfg)
		if got := strings.Contains(strings.Join(m.Notes, "\n"), "with --loss huber, about"); got != c.want {
			t.Errorf("%s: notes %q", name, m.Notes)
		}
	}
	r, residual := rand.New(rand.NewPCG(5, 5)), make([]float64, 100_000)
	for i := range residual {
		residual[i] = r.NormFloat64()
	}
	if gain, symmetric := huberGain(residual); !symmetric || !(math.Abs(gain-0.95) <= 0.01) { // Huber 1964
		t.Errorf("normal errors: efficiency %v, symmetric %v", gain, symmetric)
	}
}
