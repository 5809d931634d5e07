package eval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/eval/internal/interval"
)

// The interval of the worst of many groups, which was picked as the worst, covers its true accuracy at least as often
// as it says, and that of a single group does not.
func TestSimultaneousInterval_OfTheWorstGroupCovers(t *testing.T) {
	const groups, rows, truth, trials = 10, 60, 0.8, 400
	r := rand.New(rand.NewPCG(7, 8))
	accuracy, _ := Binary.Measure(accuracyKey)
	e := &Evaluation{Task: Binary, Confidence: 0.95}
	single, together := 0, 0
	for range trials {
		g := &Grouping{Groups: make([]Group, groups)}
		worst := &g.Groups[0]
		for i := range g.Groups {
			right := 0
			for range rows {
				if r.Float64() < truth {
					right++
				}
			}
			share := float64(right) / rows
			low, high := wilsonEnds(share, rows, interval.NormalQuantile(0.95))
			h := &g.Groups[i]
			h.N, h.Sufficient = rows, true
			h.Models = []GroupModel{{Values: Values{Of: map[string]Num{accuracyKey: Num(share)}},
				Intervals: Intervals{accuracyKey: {Low: Num(low), High: Num(high)}}}}
			if h.Models[0].Values.Of[accuracyKey] <= worst.Models[0].Values.Of[accuracyKey] {
				worst = h
			}
		}
		covers := func(iv *Interval) int {
			if float64(iv.Low) <= truth && truth <= float64(iv.High) {
				return 1
			}
			return 0
		}
		single += covers(worst.Models[0].Intervals.Find(accuracyKey))
		together += covers(e.SimultaneousInterval(g, worst, 0, accuracy))
	}
	if together < 0.93*trials || single > 0.9*trials {
		t.Errorf("covered %d of %d times together, %d alone", together, trials, single)
	}
}

// wilsonEnds returns Wilson's interval of a proportion of n rows, z standard errors wide.
func wilsonEnds(p, n, z float64) (low, high float64) {
	centre, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (centre - half) / (1 + z*z/n), (centre + half) / (1 + z*z/n)
}

// A single group keeps its interval, and a group with too few rows has none.
func TestSimultaneousInterval_OneGroupAndFewRows(t *testing.T) {
	accuracy, _ := Binary.Measure(accuracyKey)
	of := []GroupModel{{Values: Values{Of: map[string]Num{accuracyKey: 0.5}},
		Intervals: Intervals{accuracyKey: {Low: 0.4, High: 0.6}}}}
	e := &Evaluation{Task: Binary, Confidence: 0.95}
	g := &Grouping{Groups: []Group{{N: 100, Sufficient: true, Models: of}}}
	if iv := e.SimultaneousInterval(g, &g.Groups[0], 0, accuracy); !(math.Abs(float64(iv.Low)-0.4) <= 1e-12) ||
		!(math.Abs(float64(iv.High)-0.6) <= 1e-12) {
		t.Errorf("%v", iv)
	}
	if g.Groups[0].Sufficient = false; e.SimultaneousInterval(g, &g.Groups[0], 0, accuracy) != nil {
		t.Error("a group with too few rows has an interval")
	}
}
