package pooled

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/tune"
)

// drawn returns n rows of an intercept and two columns in the levels of two group columns. The coefficient of column
// 1 differs by slope between the levels of the first.
func drawn(n int, loss losses.Loss, slope float64, seed uint64) *Problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &Problem{Loss: loss, Mu: 0.01, Intercept: 2, Folds: 5}
	z := make([]float64, 0, 3*n)
	groups := []Group{{Levels: 3, Columns: []int{0, 1}}, {Levels: 2, Columns: []int{1}}}
	for i := range n {
		row := []float64{rng.NormFloat64(), rng.NormFloat64(), 1}
		z = append(z, row...)
		a, b := int32(rng.IntN(4))-1, int32(rng.IntN(2))
		groups[0].Level, groups[1].Level = append(groups[0].Level, a), append(groups[1].Level, b)
		y := row[0] + slope*float64(a)*row[1] + 0.5*rng.NormFloat64()
		if loss.Name() == "logistic" {
			y = math.Copysign(1, y)
		}
		p.Target, p.Weight, p.Fold = append(p.Target, y), append(p.Weight, 0.5+rng.Float64()), append(p.Fold, int32(i%5))
	}
	var err error
	if p.X, err = design.NewDense(n, 3, z); err != nil {
		panic(err)
	}
	p.Steps = [][]Group{groups}
	return p
}

// The coefficients minimise the penalised average loss of the rows outside the fold.
func TestSolve_IsAMinimum(t *testing.T) {
	for _, loss := range []losses.Loss{losses.Squared{}, losses.Logistic{}, losses.Huber{Delta: 0.7}} {
		p := drawn(300, loss, 0.5, 3)
		f := newFit(p)
		const fold, ridge = 2, 5.0
		groups := p.Steps[0]
		setRidge(groups, ridge)
		x, err := f.minimise(t.Context(), fold, groups, nil)
		if err != nil {
			t.Fatal(err)
		}
		value := func(x []float64) float64 {
			sum, total := 0.0, 0.0
			for j := range p.Target {
				if p.Fold[j] == fold {
					continue
				}
				row := make([]float64, 3)
				p.X.RowTo(row, j)
				m := row[0]*x[0] + row[1]*x[1] + row[2]*x[2]
				if a := int(groups[0].Level[j]); a >= 0 {
					m += row[0]*x[3+2*a] + row[1]*x[4+2*a]
				}
				m += row[1] * x[9+groups[1].Level[j]]
				v, s := []float64{0}, []float64{m}
				loss.EvalTo(v, s, []float64{m}, p.Target[j:j+1])
				sum, total = sum+p.Weight[j]*v[0], total+p.Weight[j]
			}
			v := sum / total
			for j, c := range x {
				switch {
				case j == 2:
				case j < 3:
					v += p.Mu / 2 * c * c
				default:
					v += p.Mu * ridge / 2 * c * c
				}
			}
			return v
		}
		if len(x) != 11 {
			t.Fatalf("%d coefficients", len(x))
		}
		best := value(x)
		if own, _, err := f.objective(t.Context(), fold, groups, x, false); err != nil ||
			!(math.Abs(own-best) <= 1e-12*best) {
			t.Errorf("%s: objective %v, by hand %v, %v", loss.Name(), own, best, err)
		}
		for j := range x {
			for _, step := range []float64{-1e-2, 1e-2} {
				x[j] += step
				if !(value(x) > best-1e-9) {
					t.Errorf("%s: coefficient %d moved by %v gives %v < %v", loss.Name(), j, step, value(x), best)
				}
				x[j] -= step
			}
		}
	}
}

// The rows of a unit count as one observation: a table in which every row occurs four times has the standard errors
// of the original rows.
func TestCompare_UnitsCountOnce(t *testing.T) {
	p := drawn(400, losses.Squared{}, 0.3, 5)
	c, err := p.Compare(t.Context(), []float64{1, 125}, false)
	if err != nil {
		t.Fatal(err)
	}
	if best := c.Best(0); !(best.Change < -2*best.SE) || !(best.Risk < c.Shared) {
		t.Errorf("slopes that differ are not found: %+v", c)
	}
	again := *p
	var rows []int
	again.Target, again.Weight, again.Fold, again.Unit = nil, nil, nil, nil
	again.Steps = [][]Group{{{Levels: 3, Columns: []int{0, 1}}, {Levels: 2, Columns: []int{1}}}}
	for j := range p.Target {
		for range 4 {
			rows = append(rows, j)
			again.Target, again.Weight, again.Fold, again.Unit =
				append(again.Target, p.Target[j]), append(again.Weight, p.Weight[j]), append(again.Fold, p.Fold[j]),
				append(again.Unit, int32(j))
			for k := range again.Steps[0] {
				again.Steps[0][k].Level = append(again.Steps[0][k].Level, p.Steps[0][k].Level[j])
			}
		}
	}
	again.X = p.X.Select(rows)
	d, err := again.Compare(t.Context(), []float64{1, 125}, false)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range c.Steps[0] {
		got := d.Steps[0][k]
		if !(math.Abs(got.Change-want.Change) <= 1e-6*math.Abs(want.Change)) || !(math.Abs(got.SE-want.SE) <= 1e-6*want.SE) {
			t.Errorf("four times every row: %+v, once: %+v", got, want)
		}
	}
}

// Crossings are accepted if a single cell has another slope, and not if the single groups explain the slopes.
func TestCompare_TakesCrossings(t *testing.T) {
	for name, c := range map[string]struct {
		slope func(a, b int) float64
		taken int
	}{
		"nothing":       {func(a, b int) float64 { return 0 }, 0},
		"margins":       {func(a, b int) float64 { return float64(a) - 2*float64(b) }, 1},
		"a cell":        {func(a, b int) float64 { return 2 * float64(a*b) }, 2},
		"only together": {func(a, b int) float64 { return float64(1-2*a) * float64(1-2*b) }, 2},
	} {
		rng := rand.New(rand.NewPCG(8, 1))
		const n = 800
		p := &Problem{Loss: losses.Squared{}, Mu: 1.0 / n, Intercept: 2, Folds: 5, Steps: [][]Group{
			{{Levels: 2, Columns: []int{0, 1}}, {Levels: 2, Columns: []int{0, 1}}}, {{Levels: 4, Columns: []int{0, 1}}}}}
		z := make([]float64, 0, 3*n)
		for i := range n {
			row, a, b := []float64{rng.NormFloat64(), rng.NormFloat64(), 1}, rng.IntN(2), rng.IntN(2)
			z = append(z, row...)
			for k, l := range []int{a, b} {
				p.Steps[0][k].Level = append(p.Steps[0][k].Level, int32(l))
			}
			p.Steps[1][0].Level = append(p.Steps[1][0].Level, int32(2*a+b))
			p.Target, p.Fold = append(p.Target, row[0]+c.slope(a, b)*row[1]+rng.NormFloat64()), append(p.Fold, int32(i%5))
		}
		var err error
		if p.X, err = design.NewDense(n, 3, z); err != nil {
			t.Fatal(err)
		}
		got, err := p.Compare(t.Context(), []float64{1, 5, 25, 125}, false)
		if err != nil || got.Taken != c.taken || len(got.Ridges()) != c.taken {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
		if got.Taken == 2 && !(got.Best(1).Risk < 1.15 && got.Best(1).Risk < got.Best(0).Risk) {
			t.Errorf("%s: the risk is %v, with a noise of 1", name, got.Best(1).Risk)
		}
	}
}

// Ending the path of ridges when the risk increases leads to the same decision as trying all ridges, and to a risk
// within a tenth of a standard error.
func TestCompare_EndsThePathWithoutLoss(t *testing.T) {
	ridges, tried := []float64{1, 5, 25, 125}, 0
	const samples = 120
	for seed := range uint64(samples) {
		n, slope := []int{150, 400, 1500}[seed%3], []float64{0, 0.05, 0.1, 0.3}[seed%4]
		loss := []losses.Loss{losses.Squared{}, losses.Logistic{}}[seed/4%2]
		p := drawn(n, loss, slope, seed)
		p.Mu = 1 / float64(n)
		got, err := p.Compare(t.Context(), ridges, false)
		if err != nil {
			t.Fatal(err)
		}
		tried += len(got.Steps[0])
		best, taken := tune.GroupCandidate{Risk: math.Inf(1)}, 0
		for _, ridge := range ridges {
			one, err := p.Compare(t.Context(), []float64{ridge}, false)
			if err != nil {
				t.Fatal(err)
			}
			if c := one.Best(0); c.Risk < best.Risk {
				best, taken = c, one.Taken
			}
		}
		if lost := got.Best(0).Risk - best.Risk; taken > 0 && lost > 0.1*best.SE || got.Taken != taken {
			t.Errorf("%d rows, slope %v, %s: κ %v taken %d, of all κ %v taken %d, lost %v, SE %v", n, slope, loss.Name(),
				got.Best(0).Ridge, got.Taken, best.Ridge, taken, lost, best.SE)
		}
	}
	if tried >= 4*samples*3/4 {
		t.Errorf("%d of %d ridges are tried", tried, 4*samples)
	}
}
