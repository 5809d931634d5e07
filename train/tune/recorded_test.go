package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/goldentest"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

const recordedHead = `# What is chosen on small tables of all kinds, and on what grounds: what a change of a constant,
# of a boundary or of the order of steps moves, though every promise still holds. Nothing here is
# right or wrong by itself. Whoever changes the choice renews it,
#
#	go test ./train/tune -run Recorded -update
#
# and reads the diff. After a ~: sums of bits, and counts of work.
#
`

// A recordedTable is how rows of a recorded choice are drawn.
type recordedTable struct {
	kind   string
	n, d   int
	groups int // named
	loss   losses.Loss
	free   bool // an intercept
	weight bool
}

func (c recordedTable) table(seed uint64) *Table {
	rng := rand.New(rand.NewPCG(seed, 99))
	z, target := make([]float64, c.n*c.d), make([]float64, c.n)
	r := level.Rows{N: c.n}
	for g := range c.groups {
		r.Labels = append(r.Labels, fmt.Sprint("g", g))
	}
	for j := range c.n {
		row := z[j*c.d : (j+1)*c.d]
		m := 0.0
		for i := range row {
			if row[i] = rng.NormFloat64(); c.free && i == c.d-1 {
				row[i] = 1
			}
			m += row[i] * []float64{1, -0.5, 0.3}[i%3]
		}
		g, noise := rng.IntN(10), 0.4*rng.NormFloat64()
		if g -= 6; g < 0 || c.groups > 0 && g >= c.groups {
			g = 0
		}
		if g > 0 {
			switch c.kind {
			case "slope":
				m -= float64(g) * 1.5 * row[0]
			case "noise":
				noise *= 1 + float64(2*g)
			case "shift":
				m += 0.7 * float64(g)
			case "hidden":
				if g > 1 {
					m -= 3 * row[0]
				}
			case "two hidden":
				if g == 1 {
					m -= 4 * row[0]
				} else if g == 2 {
					m += 4 * row[1]
				}
			case "opposite":
				m += float64([]int{0, 4, -4, 0}[g]) * row[0]
			}
		}
		switch c.kind {
		case "curve":
			m += row[0] * row[0]
		case "product":
			m += row[0] * row[1]
		case "fan":
			noise *= 5 * row[0]
		case "heavy":
			noise /= 0.05 + rng.Float64()
		}
		target[j] = m + noise
		if c.loss.Name() == "logistic" {
			target[j] = math.Copysign(1, m+3*noise)
		}
		if c.groups > 0 {
			if j%17 == 5 {
				g = -1
			}
			r.Group = append(r.Group, int32(g))
		}
		if c.weight {
			r.Weights = append(r.Weights, float64(1+rng.IntN(3)))
		}
	}
	x, err := design.NewDense(c.n, c.d, z)
	if err != nil {
		panic(err)
	}
	return &Table{Rows: r, X: x, Target: target, Loss: c.loss, Primal: dro.L2{Mu: 1 / float64(c.n), Intercept: c.free, FreeModulus: c.loss.Smoothness()}}
}

// TestRecordedChoices compares with testdata/recorded.txt.
func TestRecordedChoices(t *testing.T) {
	var out strings.Builder
	turn := uint64(0)
	choice := func(c recordedTable, change func(o *Options)) {
		turn++
		o := DefaultOptions()
		o.Levels, o.Seed = 2, turn
		change(&o)
		solves := map[int]int{} // told of, by the number of all
		o.Observe = func(done, total int) { solves[total] = max(solves[total], done) }
		fmt.Fprintf(&out, "\n# %d: %s, %d × %d, %d groups, %s, intercept %v, weights %v\n", turn, c.kind, c.n, c.d, c.groups, c.loss.Name(), c.free, c.weight)
		s, err := Select(t.Context(), c.table(turn), nil, o)
		if err != nil {
			fmt.Fprintf(&out, "refused: %v\n", err)
			return
		}
		recordSelection(&out, s)
		fmt.Fprintf(&out, "solves %v\n", solves)
	}
	squared, logistic, huber := losses.Squared{}, losses.Logistic{}, losses.Huber{Delta: 0.7}
	choice(recordedTable{"slope", 240, 4, 3, squared, true, false}, func(o *Options) { o.Levels = 3 })
	choice(recordedTable{"slope", 240, 3, 2, logistic, true, false}, func(o *Options) { o.Ridge = true })
	choice(recordedTable{"noise", 200, 3, 3, huber, false, true}, func(o *Options) { o.Rule = "se" })
	choice(recordedTable{"shift", 200, 5, 2, squared, true, true}, func(o *Options) { o.Criterion, o.Budget = "worst-group", 0.02 })
	choice(recordedTable{"noise", 260, 3, 0, squared, true, false}, func(o *Options) { o.Criterion, o.Path, o.Levels = "tail", true, 3 })
	choice(recordedTable{"slope", 200, 3, 2, logistic, true, true}, func(o *Options) { o.Criterion, o.Tail, o.Path = "tail", 0.3, true })
	choice(recordedTable{"noise", 150, 4, 0, huber, false, false}, func(o *Options) { o.Criterion, o.Rule, o.Ridge = "average", "se", true })
	for k, kind := range []string{"hidden", "two hidden", "opposite", "curve", "product", "fan", "heavy", "one law"} {
		choice(recordedTable{kind, 400, 3, 0, squared, true, k%3 == 2}, func(o *Options) { o.Folds, o.Levels = 3+k%2, 1 })
	}
	choice(recordedTable{"two hidden", 1200, 4, 0, squared, true, false}, func(o *Options) { o.Folds, o.Levels = 3, 1 })
	choice(recordedTable{"hidden", 900, 3, 0, logistic, true, false}, func(o *Options) { o.Folds, o.Levels = 3, 1 })
	choice(recordedTable{"slope", 200, 3, 0, squared, true, true}, func(o *Options) {})
	choice(recordedTable{"slope", 300, 3, 0, logistic, false, false}, func(o *Options) { o.Folds = 4 })
	choice(recordedTable{"curve", 200, 3, 0, squared, true, false}, func(o *Options) { o.Folds = 4 })
	choice(recordedTable{"one law", 60, 8, 0, squared, true, false}, func(o *Options) { o.Ridge, o.Levels = true, 1 })
	choice(recordedTable{"slope", 400, 3, 3, squared, true, false}, func(o *Options) { o.Rows, o.Rate = 150, 0.5 })
	choice(recordedTable{"slope", 90, 3, 3, logistic, true, false}, func(o *Options) { o.MinGroupSize, o.Folds = 9, 2 })
	choice(recordedTable{"one law", 60, 20, 2, squared, true, false}, func(o *Options) { o.Ridge, o.Levels, o.Rule = true, 1, "se" })
	choice(recordedTable{"noise", 60, 20, 0, logistic, true, false}, func(o *Options) { o.Ridge, o.Criterion, o.Levels = true, "average", 1 })
	choice(recordedTable{"slope", 300, 3, 3, squared, true, true}, func(o *Options) { o.Rule, o.Levels = "se", 4 })
	choice(recordedTable{"slope", 400, 320, 2, logistic, true, false}, func(o *Options) { o.Folds, o.Levels, o.Ridge, o.Criterion = 2, 1, true, "tail" })
	choice(recordedTable{"slope", raceFrom, 3, 0, squared, true, false}, func(o *Options) { o.Criterion, o.Folds, o.Levels = "tail", 2, 2 })
	choice(recordedTable{"slope", raceFrom - 1, 2, 0, squared, true, false}, func(o *Options) { o.Criterion, o.Folds, o.Levels = "average", 2, 1 })
	goldentest.Record(t, "testdata/recorded.txt", recordedHead, out.String(), 0.05)
}

// recordSelection writes a choice, a line a candidate.
func recordSelection(out *strings.Builder, s *Selection) {
	head := *s
	head.Candidates, head.Subgroup, head.Ridges, head.Paths, head.Passes = nil, nil, nil, nil, 0
	fmt.Fprintf(out, "%s\n", goldentest.Values(head))
	fmt.Fprintf(out, "~ passes %s, start %s\n", goldentest.Values(s.Passes), bitsOf(s.Start))
	if s.Subgroup != nil {
		fmt.Fprintf(out, "%s\n", goldentest.Values(s.Subgroup))
	}
	for _, r := range s.Ridges {
		fmt.Fprintf(out, "%s\n", goldentest.Values(r))
	}
	for _, p := range s.Paths {
		fmt.Fprintf(out, "%s\n", goldentest.Values(p))
	}
	for _, c := range s.Candidates {
		name := c.Name
		c.Level, c.Name = level.Level{}, ""
		fmt.Fprintf(out, "%s: %s\n", name, goldentest.Values(c))
	}
}
