package hunt

import (
	"context"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro"
)

// What took the chosen method long on some draws, and does not any more.
func TestDrawsThatTookLong(t *testing.T) {
	for _, k := range []struct {
		what   string
		seed   uint64
		number int
		most   float64 // passes
	}{
		{"a path of penalties that proves the gap ends the solve: 78", 900009, 99, 40},
		{"shorter steps go on where longer ones ended: 87.5", 900002, 1564, 75},
		{"a straight way takes a few steps: 74.5", 900002, 1452, 45},
		{"a path of penalties ends where the penalty is less than the gap: 87", 900005, 61, 30},
		{"l-bfgs that does not move gives way: 72", 900008, 675, 50},
	} {
		c := Draw(k.seed, k.number)
		p, end, err := c.problem("float64", nil)
		if err != nil {
			t.Fatal(err)
		}
		s := dro.DefaultSettings()
		s.X0, s.MaxPasses, s.Seed, s.RelativeGap = c.X0, 90, uint64(k.number), math.Pow(10, -4-float64(k.number%8))
		m, _ := dro.Choose(p)
		res, err := dro.Solve(context.Background(), p, m, s)
		if err != nil || res.Status != dro.Certified || res.Passes > k.most {
			t.Errorf("%s; %d of seed %d: %v, %v, %.4g passes of at most %v", k.what, k.number, k.seed, err, res.Status, res.Passes, k.most)
		}
		t.Logf("%s: %.4g now", k.what, res.Passes)
		end()
	}
}
