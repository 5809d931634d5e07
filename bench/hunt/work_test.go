package hunt

import (
	"context"
	"math"
	"strings"
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

// Turns counts by the rule of the method chosen: what a method takes beside the best of all, of
// several as many times that of their best as there are.
func TestTurns(t *testing.T) {
	none := math.Inf(1)
	tally := Tally{Took: []map[string]float64{
		{auto: 40, " 1 b": 10, " 2 c": 50},       // nobody: less than 60
		{auto: 61, " 1 b": 40, " 2 c": 50},       // auto alone; in turns 80
		{auto: 89, " 1 b": none, " 2 c": 59.5},   // nobody: one without a certificate may have been next to it
		{auto: none, " 1 b": 39, " 2 c": 30},     // auto, behind both; in turns 60
		{auto: none, " 1 b": none, " 2 c": 35},   // auto and b; in turns 70
		{auto: none, " 1 b": none, " 2 c": none}, // nobody
		{auto: 50},
	}}
	want := []string{"3 of     7 problems behind the best: auto", "1 of     6 problems behind the best:  1 b", "0 of     6 problems behind the best:  2 c",
		"3 of     6 problems behind the best:  1 b, 2 c in turns, the best of all 2 that are for a third of the problems", "2 of these 3 are behind one method alone"}
	for k, line := range tally.Turns(60) {
		if k >= len(want) || strings.TrimSpace(line) != want[k] {
			t.Errorf("line %d: %q", k, line)
		}
	}
}
