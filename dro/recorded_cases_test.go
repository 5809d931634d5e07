package dro

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/hessian"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/losses"
)

// A recordedCase is a problem and the methods that are tried on it.
type recordedCase struct {
	name     string
	problem  *Problem
	products *atomic.Int64
	methods  []Method
	chosen   bool // the first is what Choose says
	settings Settings
}

func (c recordedCase) runs(t *testing.T) (out []recordedRun) {
	t.Helper()
	for k, m := range c.methods {
		name := recordedName(m)
		if k == 0 && c.chosen {
			name = "auto, " + name
		}
		c.products.Store(0)
		res, err := Solve(context.Background(), c.problem, m, c.settings)
		if err == nil {
			if bad := drotest.Sound(res); bad != nil {
				t.Errorf("%s, %s: %v", c.name, name, bad)
			}
		}
		r := recordedRun{problem: c.name, method: name}.of(res, err)
		r.products = c.products.Load()
		out = append(out, r)
	}
	return out
}

// unset are the fields of a method that are as by default.
var unset = regexp.MustCompile(`\w+:(0|\[\]|false|<nil>|\{ *\})( |\})`)

// recordedName is a method with what is set of it.
func recordedName(m Method) string {
	settings := fmt.Sprintf("%+v", m)
	for was := ""; was != settings; {
		was, settings = settings, unset.ReplaceAllString(settings, "$2")
	}
	settings = strings.Join(strings.Fields(strings.NewReplacer("Sampling:", "", "Finish:", "Finish ", "{", " ", "}", " ").Replace(settings)), " ")
	return strings.TrimSpace(m.Name() + " " + settings)
}

// products counts those of Gram matrices.
type products struct {
	design.Matrix
	count *atomic.Int64
}

func (m products) AddGramTo(dst, w []float64, lo, hi int) {
	_, d := m.Dims()
	m.count.Add(int64(hi-lo) * int64(d*(d+1)/2))
	m.Matrix.AddGramTo(dst, w, lo, hi)
}

func (m products) Centred(kept int) (design.Matrix, []float64) {
	z, by := design.Centred(m.Matrix, kept)
	if z == nil {
		return nil, nil
	}
	return products{z, m.count}, by
}

func (m products) Select(rows []int) design.Matrix { return products{m.Matrix.Select(rows), m.count} }

// recordedRows draws rows of a kind, and targets of a linear model, ±1 for the logistic loss.
func recordedRows(rng *rand.Rand, kind, loss string, n, d int, intercept bool) drotest.Sample {
	s := drotest.Sample{N: n, D: d, Design: drotest.Normals(rng, n*d, 1), Label: make([]float64, n)}
	truth := drotest.Normals(rng, d, 1)
	for j := range n {
		row, noise := s.Design[j*d:(j+1)*d], 0.7*rng.NormFloat64()
		for i := range row {
			switch kind {
			case "correlated":
				if i > 0 {
					row[i] = 0.98*row[i-1] + 0.2*row[i]
				}
			case "heavy":
				row[i] /= math.Sqrt(rng.ExpFloat64())
			case "rare":
				if i%2 == 1 {
					row[i] = 0
					if j%16 == i%16 {
						row[i] = float64(20 - j%3)
					}
				}
			case "twice":
				if i%3 == 2 {
					row[i] = row[i-1]
				}
			case "outliers":
				if j%100 == 7 {
					row[i] *= 10
				}
			case "any":
				row[i] *= math.Pow(10, float64(rng.IntN(7)-3))
			}
			if intercept && i == d-1 {
				row[i] = 1
			}
			s.Label[j] += row[i] * truth[i] / math.Sqrt(float64(d))
		}
		switch kind {
		case "heavy":
			noise /= 0.05 + math.Abs(rng.NormFloat64())
		case "separable":
			noise = 0
		}
		if s.Label[j] += noise; loss == "logistic" {
			s.Label[j] = math.Copysign(1, s.Label[j])
		}
		for i := range row { // the model is of the columns as they were
			switch last := intercept && i == d-1; {
			case kind == "scaled" && !last:
				row[i] *= math.Pow(10, float64(3*(i%5)-6))
			case kind == "raw" && !last:
				row[i] = 1e4 + row[i]
			}
		}
	}
	return s
}

// recordedCases pair every adversary with some kinds of rows, losses, regularisers and methods, in
// turn, so that each meets each; and then what needs many rows or many columns.
func recordedCases() (all []recordedCase) {
	kinds := []struct {
		name string
		n, d int
	}{{"plain", 60, 4}, {"correlated", 150, 6}, {"heavy", 120, 4}, {"rare", 160, 8}, {"wide", 14, 20}, {"separable", 40, 3}, {"raw", 50, 4}, {"scaled", 40, 6}, {"twice", 48, 6}, {"few", 3, 2}}
	lossesInTurn := []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 0.8}}
	methods := append(everyMethod(), NewtonCG{}, Newton{Sample: 24}, Growing{First: 16, Factor: 2}, Minimax{}, Smoothing{},
		Stochastic{Block: 2}, SeparableBlock{Block: 2, Sampling: UniformSampling()}, Stochastic{Schedule: Theory, Sampling: UniformSampling()})
	turn := 0
	add := func(kind string, n, d int, loss losses.Loss, adversary string, of func(rng *rand.Rand, n int) Dual, primal L2, more int) {
		rng := drotest.RngOf(uint64(9000 + turn))
		c := recordedCase{products: new(atomic.Int64), settings: drotest.Asking([]float64{1e-6, 1e-9, 1e-13}[turn%3], 50)}
		s := recordedRows(rng, kind, loss.Name(), n, d, primal.Intercept)
		z, storage := recordedStorage(s, turn%4)
		o, err := losses.NewLinear(loss, products{z, c.products}, s.Label)
		if err != nil {
			panic(err)
		}
		if n >= 1000 {
			c.settings.RelativeGap = 1e-8
		}
		if turn%5 == 3 {
			c.settings.X0, c.settings.CheckEvery = drotest.Normals(rng, d, 1), 0.5
		}
		c.settings.Seed = uint64(turn)
		c.name = fmt.Sprintf("%d: %s %d × %d %s, %s, %s, μ = %.3g, intercept %v", turn, kind, n, d, storage, loss.Name(), adversary, primal.Mu, primal.Intercept)
		c.problem = &Problem{Oracle: o, Dual: of(rng, n), Primal: primal}
		auto, _ := Choose(c.problem)
		c.methods, c.chosen = []Method{auto}, true
		for k := 0; k < len(methods) && len(c.methods) <= more; k++ {
			if m := methods[(turn*5+k)%len(methods)]; saddle.Supports(m, saddle.Answered(c.problem)) {
				c.methods = append(c.methods, m)
			}
		}
		all = append(all, c)
		turn++
	}
	for a, adversary := range recordedAdversaries() {
		for k := range 4 {
			kind := kinds[(3*a+k*(1+a%3))%len(kinds)]
			primal := []L2{{Mu: 1 / float64(kind.n), Intercept: true}, {Mu: 1e-3}, {Mu: 0, Intercept: true}, {Mu: 0.1}, {Mu: 1e-6, Intercept: true}}[(a+k)%5]
			add(kind.name, kind.n, kind.d, lossesInTurn[(a+2*k)%3], adversary.name, adversary.of, primal, 2)
		}
	}
	for a, adversary := range recordedAdversaries() { // few rows, of very unequal size
		for k := range 3 {
			add("any", 1+(5*a+7*k)%11, 1+(a+k)%3, lossesInTurn[(a+k)%3], adversary.name, adversary.of, L2{Mu: []float64{1, 1e-4, 0.01}[k], Intercept: (a+k)%2 == 0}, 1)
		}
	}
	for k, of := range recordedAdversaries() { // prefixes, working sets, Hessians of some rows: at the sizes from which there are such, and above
		loss, primal := lossesInTurn[k%3], L2{Mu: 1e-4, Intercept: k%2 == 0}
		switch of.name {
		case "KL 0.3", "χ² 0.2", "equal weights", "CVaR 0.15", "largest group", "χ² ball 0.2", "protected 0.3, 0.1", "KL 0.01":
			add([]string{"plain", "heavy", "correlated", "rare"}[k%4], 10_000+k%2*2000, 5, loss, of.name, of.of, primal, 0)
		}
		switch of.name {
		case "KL 0.3", "χ² 0.01", "weighted KL 0.2", "KL ball 0.1", "KL 0.01", "weighted χ² 0.2":
			add("outliers", 4096+k%2*4904, 4, loss, of.name, of.of, primal, 1)
		}
		switch of.name {
		case "χ² 0.2", "KL 0.01", "CVaR 0.5", "capped KL 0.3, 0.1":
			add([]string{"plain", "rare", "correlated"}[k%3], 1024, 4, loss, of.name, of.of, primal, 0)
			all[len(all)-1].chosen = false
			all[len(all)-1].methods = []Method{SeparableBlock{}, SeparableBlock{Strategy: Historical}, Growing{Finish: SeparableBlock{}, First: 128}}
		}
	}
	for k, of := range recordedAdversaries()[:4] { // Hessians that cost more than many passes
		add([]string{"plain", "correlated"}[k%2], 240, 340, lossesInTurn[k%3], of.name, of.of, L2{Mu: 1e-2}, 0)
	}
	for k, of := range recordedAdversaries() { // Hessians that are never formed
		switch of.name {
		case "KL 0.3", "χ² 0.2", "equal weights", "weighted χ² 0.2", "groups KL 0.1":
			add([]string{"rare", "plain"}[k%2], 60, hessian.MaxColumns+1, lossesInTurn[k%3], of.name, of.of, L2{Mu: 0.1, Intercept: k%2 == 0}, 0)
			c := &all[len(all)-1]
			c.settings = drotest.Asking(1e-6, 300)
			for _, m := range []Method{SeparableBlock{}, SeparableBlock{Strategy: Historical}} {
				if saddle.Supports(m, saddle.Answered(c.problem)) {
					c.methods = append(c.methods, m)
				}
			}
		}
	}
	for k, of := range recordedAdversaries() { // of one's own, that say nothing of themselves but what they must
		if k%3 != 0 {
			continue
		}
		for hidden := range 3 {
			add([]string{"plain", "correlated", "any"}[hidden], 40, 3, lossesInTurn[k/3%3], of.name, of.of, L2{Mu: 0.1, Intercept: k%2 == 0 && hidden != 2}, 0)
			c := &all[len(all)-1]
			switch hidden {
			case 0:
				c.problem.Oracle = struct{ Oracle }{c.problem.Oracle}
			case 1:
				c.problem.Dual = struct{ Dual }{c.problem.Dual}
			case 2:
				c.problem.Primal = ownPrimal{c.problem.Primal, c.problem.Primal.(Smooth)}
			}
			c.name += []string{", own losses", ", own adversary", ", own regulariser"}[hidden]
			c.methods, c.chosen = nil, false
			for i := range methods {
				if m := methods[(7*turn+i)%len(methods)]; len(c.methods) < 2 && saddle.Supports(m, saddle.Answered(c.problem)) {
					c.methods = append(c.methods, m)
				}
			}
		}
	}
	return all
}

type ownPrimal struct {
	Primal
	Smooth
}

// recordedStorage keeps rows as they are, as single precision, or sparsely.
func recordedStorage(s drotest.Sample, turn int) (z design.Matrix, name string) {
	var err error
	switch turn {
	case 1:
		x := make([]float32, len(s.Design))
		for i, v := range s.Design {
			x[i] = float32(v)
		}
		z, err = design.NewDense32(s.N, s.D, x)
		name = "single"
	case 2:
		start, column, value := make([]int, s.N+1), []int32(nil), []float64(nil)
		for j := range s.N {
			for i, v := range s.Design[j*s.D : (j+1)*s.D] {
				if v != 0 {
					column, value = append(column, int32(i)), append(value, v)
				}
			}
			start[j+1] = len(value)
		}
		z, err = design.NewSparse(s.N, s.D, start, column, value)
		name = "sparse"
	default:
		z, err = design.NewDense(s.N, s.D, s.Design)
		name = "double"
	}
	if err != nil {
		panic(err)
	}
	return z, name
}

type recordedAdversary struct {
	name string
	of   func(rng *rand.Rand, n int) Dual
}

// recordedAdversaries are all duals, at prices large, small and zero.
func recordedAdversaries() (all []recordedAdversary) {
	is := func(name string, d Dual) {
		all = append(all, recordedAdversary{name, func(*rand.Rand, int) Dual { return d }})
	}
	weighted := func(name string, of func(w []float64) Dual) {
		all = append(all, recordedAdversary{name, func(rng *rand.Rand, n int) Dual {
			w := make([]float64, n)
			for j := range w {
				w[j] = float64(rng.IntN(4)) * (0.5 + rng.Float64())
			}
			w[0] = 1
			return of(w)
		}})
	}
	grouped := func(name string, near func(count int) Ball, weigh, twice, adjusted bool) {
		all = append(all, recordedAdversary{name, func(rng *rand.Rand, n int) Dual {
			count := min(n, 3)
			draw := func() []int {
				of := make([]int, n)
				for j := range of {
					if of[j] = j; j >= count {
						of[j] = rng.IntN(count+1) - 1
					}
				}
				return of
			}
			ways, w := [][]int{draw()}, []float64(nil)
			if twice {
				ways, count = append(ways, draw()), 2*count
			}
			if weigh {
				w = make([]float64, n)
				for j := range w {
					w[j] = 0.2 + rng.Float64()
				}
			}
			g, err := NewGroups(near(count), w, ways...)
			if err != nil {
				panic(err)
			}
			if adjusted {
				g.Adjust = make([]float64, count)
				for k := range g.Adjust {
					g.Adjust[k] = 0.1 * rng.Float64()
				}
			}
			return g
		}})
	}
	is("KL 0.3", KL{Nu: 0.3})
	is("χ² 0.2", ChiSquare{Nu: 0.2})
	is("KL 0.01", KL{Nu: 0.01})
	is("χ² 0.01", ChiSquare{Nu: 0.01})
	is("KL 1e-6", KL{Nu: 1e-6})
	is("χ² 1e-6", ChiSquare{Nu: 1e-6})
	is("KL 1e4", KL{Nu: 1e4})
	is("χ² 30", ChiSquare{Nu: 30})
	is("largest loss, KL", KL{})
	is("largest loss, χ²", ChiSquare{})
	is("equal weights", Uniform{})
	weighted("fixed weights", func(w []float64) Dual {
		d, err := NewFixed(w)
		if err != nil {
			panic(err)
		}
		return d
	})
	is("CVaR 0.15", CVaR(0.15))
	is("CVaR 0.5", CVaR(0.5))
	is("capped χ² 0.3, 0.1", CappedChiSquare{Alpha: 0.3, Nu: 0.1})
	is("capped KL 0.3, 0.1", CappedKL{Alpha: 0.3, Nu: 0.1})
	is("capped KL 0.5, 0", CappedKL{Alpha: 0.5})
	is("KL ball 0.1", NewBall(KullbackLeibler, 0.1, nil))
	is("χ² ball 0.2", NewBall(PearsonChi2, 0.2, nil))
	is("KL ball 0.5, 0.2", Ball{Divergence: KullbackLeibler, Radius: 0.5, Nu: 0.2})
	is("KL ball 1e-6", NewBall(KullbackLeibler, 1e-6, nil))
	weighted("weighted KL 0.2", func(w []float64) Dual { return NewPenalty(KullbackLeibler, 0.2, w) })
	weighted("weighted χ² 0.2", func(w []float64) Dual { return NewPenalty(PearsonChi2, 0.2, w) })
	weighted("weighted KL ball 0.3", func(w []float64) Dual { return NewBall(KullbackLeibler, 0.3, w) })
	weighted("weighted χ² ball 0.05", func(w []float64) Dual { return NewBall(PearsonChi2, 0.05, w) })
	weighted("protected 0.3", func(w []float64) Dual { return Protected{Share: 0.3, Weights: w} })
	weighted("protected 0.3, 0.1", func(w []float64) Dual { return Protected{Share: 0.3, Nu: 0.1, Weights: w} })
	is("protected 0.6, 0.1", Protected{Share: 0.6, Nu: 0.1})
	grouped("largest group", func(int) Ball { return NewPenalty(KullbackLeibler, 0, nil) }, false, false, false)
	grouped("groups KL 0.1", func(int) Ball { return NewPenalty(KullbackLeibler, 0.1, nil) }, true, false, true)
	grouped("groups in two ways, χ² 0.2", func(int) Ball { return NewPenalty(PearsonChi2, 0.2, nil) }, false, true, false)
	grouped("groups χ² ball 0.1 with priors", func(count int) Ball {
		w := make([]float64, count)
		for g := range w {
			w[g] = float64(g + 1)
		}
		return NewBall(PearsonChi2, 0.1, w)
	}, true, true, true)
	is("separate KL", OrthantKL{Nu: 0.3, Cap: 0.2})
	is("separate χ²", OrthantChiSquare{Nu: 0.3, Cap: 0.2})
	is("box", Box{Upper: 0.5, Nu: 0.3})
	return all
}

// recordedEnds are duals at the ends of their settings.
func recordedEnds() (all []recordedAdversary) {
	add := func(name string, of func(w []float64) Dual) {
		all = append(all, recordedAdversary{name, func(rng *rand.Rand, n int) Dual {
			w := make([]float64, n)
			for j := range w {
				w[j] = float64(rng.IntN(3))
			}
			w[n-1] = 1
			return of(w)
		}})
	}
	alone := func(w []float64) []float64 {
		clear(w)
		w[len(w)-1] = 1
		return w
	}
	for k, name := range []string{"KL", "χ²"} {
		divergence := []Divergence{KullbackLeibler, PearsonChi2}[k]
		for _, radius := range []float64{0, 1e-20, 1e-17, 1e-12, 3, 1e3} { // at rest, small, and with all of the simplex in it
			add(fmt.Sprint(name, " ball ", radius), func([]float64) Dual { return NewBall(divergence, radius, nil) })
			add(fmt.Sprint("weighted ", name, " ball ", radius), func(w []float64) Dual { return NewBall(divergence, radius, w) })
			add(fmt.Sprint(name, " ball ", radius, ", 0.5"), func([]float64) Dual { return Ball{Divergence: divergence, Radius: radius, Nu: 0.5} })
		}
		for _, nu := range []float64{0, 1e-300, 1e300} {
			add(fmt.Sprint("weighted ", name, " ", nu), func(w []float64) Dual { return NewPenalty(divergence, nu, w) })
		}
		add(name+" ball 0.1 about one", func(w []float64) Dual { return NewBall(divergence, 0.1, alone(w)) })
		for _, radius := range []float64{1e-20, 1e-15, 1e-11, 1e-8, 1e-5} {
			add(fmt.Sprint(name, " ball ", radius, " of groups"), func(w []float64) Dual {
				of := make([]int, len(w))
				for j := range of {
					of[j] = min(int(w[j]), j)
				}
				g, err := NewGroups(NewBall(divergence, radius, nil), nil, of)
				if err != nil {
					panic(err)
				}
				g.Adjust = make([]float64, g.Count())
				g.Adjust[0] = 0.1
				return g
			})
		}
	}
	for _, nu := range []float64{1e-300, 1e300} {
		add(fmt.Sprint("KL ", nu), func([]float64) Dual { return KL{Nu: nu} })
		add(fmt.Sprint("χ² ", nu), func([]float64) Dual { return ChiSquare{Nu: nu} })
	}
	for _, alpha := range []float64{1, 0.5, 0.25, 0.1, 1e-3} { // of a share that is a number of samples, and less than one
		add(fmt.Sprint("CVaR ", alpha), func([]float64) Dual { return CVaR(alpha) })
		add(fmt.Sprint("capped χ² ", alpha), func([]float64) Dual { return CappedChiSquare{Alpha: alpha, Nu: 1} })
		add(fmt.Sprint("capped KL ", alpha), func([]float64) Dual { return CappedKL{Alpha: alpha, Nu: 1} })
		add(fmt.Sprint("protected ", alpha), func([]float64) Dual { return Protected{Share: alpha} })
		add(fmt.Sprint("weighted protected ", alpha, ", 0.2"), func(w []float64) Dual { return Protected{Share: alpha, Nu: 0.2, Weights: w} })
		add(fmt.Sprint("protected ", alpha, " of one"), func(w []float64) Dual { return Protected{Share: alpha, Weights: alone(w)} })
	}
	add("separate KL, free", func([]float64) Dual { return OrthantKL{Nu: 1, Cap: math.Inf(1)} })
	add("separate χ², free", func([]float64) Dual { return OrthantChiSquare{Nu: 1, Cap: math.Inf(1)} })
	add("box without a price", func([]float64) Dual { return Box{Upper: 2} })
	add("box from 0.1", func([]float64) Dual { return Box{Lower: 0.1, Upper: 2, Nu: 1} })
	return all
}

// recordedOnRanks are solves by two ranks, with their rounds.
func recordedOnRanks(t *testing.T) (out []recordedRun) {
	t.Helper()
	rng := drotest.RngOf(77)
	s := recordedRows(rng, "heavy", "logistic", 9000, 4, true)
	group, weights := make([]int, s.N), make([]float64, s.N)
	for j := range group {
		group[j], weights[j] = rng.IntN(3), float64(rng.IntN(3))
	}
	over := func(d Dual) func(*ranks.Rows) (Dual, error) {
		return func(rows *ranks.Rows) (Dual, error) {
			if r, ok := d.(Ranked); ok {
				over, _ := r.Over(rows)
				return over, nil
			}
			return d, nil
		}
	}
	for _, c := range []struct {
		name string
		dual func(*ranks.Rows) (Dual, error)
	}{
		{"KL 0.3", over(KL{Nu: 0.3})},
		{"χ² 0.01", over(ChiSquare{Nu: 0.01})},
		{"equal weights", over(Uniform{})},
		{"KL ball 0.1", over(NewBall(KullbackLeibler, 0.1, nil))},
		{"weighted χ² ball 0.1", over(NewBall(PearsonChi2, 0.1, weights))},
		{"protected 0.3, 0.1", over(Protected{Share: 0.3, Nu: 0.1, Weights: weights})},
		{"largest group", func(rows *ranks.Rows) (Dual, error) {
			return NewGroupsOver(rows, NewPenalty(KullbackLeibler, 0, nil), nil, group)
		}},
	} {
		all, rounds := onRanks(t, 2, false, s, losses.Logistic{}, c.dual, L2{Mu: 1e-4, Intercept: true}, nil, drotest.Asking(1e-8, 60))
		r := recordedRun{problem: "two ranks, heavy 9000 × 4, " + c.name, method: "auto"}.of(all[0], nil)
		r.rounds = rounds
		out = append(out, r)
	}
	s = recordedRows(rng, "plain", "logistic", 12_000, 4, true) // of as many there are prefixes
	group, weights = make([]int, s.N), make([]float64, s.N)
	for j := range group {
		group[j], weights[j] = rng.IntN(3), float64(rng.IntN(3))
	}
	groups := func(weights []float64) func(rows *ranks.Rows) (Dual, error) {
		return func(rows *ranks.Rows) (Dual, error) {
			return NewGroupsOver(rows, NewPenalty(KullbackLeibler, 0.1, nil), weights, group)
		}
	}
	for _, c := range []struct {
		name string
		dual func(*ranks.Rows) (Dual, error)
	}{
		{"KL 0.3", over(KL{Nu: 0.3})},
		{"weighted KL ball 0.1", over(NewBall(KullbackLeibler, 0.1, weights))},
		{"protected 0.3, 0.1", over(Protected{Share: 0.3, Nu: 0.1, Weights: weights})},
		{"groups KL 0.1", groups(nil)},
		{"weighted groups KL 0.1", groups(weights)},
		{"fixed weights", func(rows *ranks.Rows) (Dual, error) {
			d, err := NewFixed(weights)
			if err != nil {
				return nil, err
			}
			return over(d)(rows)
		}},
	} {
		all, rounds := onRanks(t, 2, false, s, losses.Logistic{}, c.dual, L2{Mu: 1e-4, Intercept: true}, nil, drotest.Asking(1e-8, 60))
		r := recordedRun{problem: "two ranks, plain 12000 × 4, " + c.name, method: "auto"}.of(all[0], nil)
		r.rounds = rounds
		out = append(out, r)
	}
	s = recordedRows(drotest.RngOf(77), "outliers", "huber", 9000, 4, true) // of which some are drawn by weight
	all, rounds := onRanks(t, 2, false, s, losses.Huber{Delta: 1}, over(KL{Nu: 0.3}), L2{Mu: 1e-4, Intercept: true}, Newton{}, drotest.Asking(1e-8, 60))
	r := recordedRun{problem: "two ranks, outliers 9000 × 4, KL 0.3", method: "newton"}.of(all[0], nil)
	r.rounds = rounds
	return append(out, r)
}

// recordedBounds are what is said of points without a solve, and of games.
func recordedBounds(t *testing.T) (out []recordedRun) {
	t.Helper()
	rng := drotest.RngOf(78)
	for k, kind := range []string{"plain", "correlated", "raw", "rare"} {
		loss := []losses.Loss{losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}}[k%3]
		s := recordedRows(rng, kind, loss.Name(), 80, 4, true)
		for _, a := range recordedAdversaries() {
			p := &Problem{Oracle: s.Oracle(t, loss), Dual: a.of(rng, s.N), Primal: L2{Mu: 0.01, Intercept: k%2 == 0}}
			c, err := Certify(p, drotest.Normals(rng, 4, 0.05))
			r := recordedRun{problem: "a point, " + kind, method: a.name}
			if err != nil {
				t.Errorf("%s: %v", r, err)
			}
			out = append(out, r.of(&Result{Objective: c.Upper, Trace: []Check{{Certificate: c}}}, err))
		}
		path := NewPath(&Problem{Oracle: s.Oracle(t, loss), Primal: L2{Mu: 0.01}}, func(nu float64) Dual { return KL{Nu: nu} })
		for _, nu := range []float64{0.03, 3} {
			res := drotest.Solve(t, &Problem{Oracle: s.Oracle(t, loss), Dual: KL{Nu: nu}, Primal: L2{Mu: 0.01}}, Newton{}, drotest.Asking(1e-9, 100))
			if err := path.Add(res.X, res.Y); err != nil {
				t.Fatal(err)
			}
		}
		for _, nu := range []float64{0.01, 0.03, 0.3, 3, 30} {
			c, err := path.Between(nu)
			r := recordedRun{problem: "a path, " + kind, method: fmt.Sprint("ν = ", nu)}
			out = append(out, r.of(&Result{Objective: c.Upper, Trace: []Check{{Certificate: c}}}, err))
		}
	}
	for k, m := range []Method{FullVector{}, FullVector{Schedule: Theory}, Stochastic{}, Stochastic{Strategy: Historical, Schedule: Theory}} {
		for _, mu := range []float64{0, 0.1} {
			game, err := NewBilinear(7, 5, drotest.Normals(rng, 35, 1), drotest.Normals(rng, 7, 1), true)
			if err != nil {
				t.Fatal(err)
			}
			nu := []float64{0.2, 0}[k%2]
			res, err := Solve(context.Background(), &Problem{Oracle: game, Dual: KL{Nu: nu}, Primal: Entropy{Mu: mu}}, m, drotest.Asking(1e-6, 40))
			r := recordedRun{problem: fmt.Sprintf("a game, ν = %v, μ = %v", nu, mu), method: recordedName(m)}
			out = append(out, r.of(res, err))
		}
	}
	return out
}

// recordedResponses are what every adversary makes of losses where its arithmetic takes another
// turn: ties, none, shares that are met exactly, huge and tiny ones. They are had first without a
// guess of the threshold and then with the one before; with what is said of their rounding.
func recordedResponses(t *testing.T) (out []recordedRun) {
	t.Helper()
	var ends []recordedRun
	ramp, wide := make([]float64, 40), make([]float64, 300)
	for j := range ramp {
		ramp[j] = float64(j) / 8
	}
	for j := range wide {
		wide[j] = math.Ldexp(float64(j%7), j%90-40)
	}
	for _, f := range [][]float64{
		{2}, {0, 0}, {0, 1}, {1, 1, 1, 1}, {0, 0.5, 0.5, 2}, {8, 8, 2, 0, 0, 0.5}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 3}, {1 << 40, 0, 0, 0, 0}, {1e150, 1, 0}, {1e-160, 0, 3e-160, 1e-160},
		{1, 1 + 0x1p-52, 1, 1 - 0x1p-53}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, wide, ramp,
	} {
		n := len(f)
		z, target := make([]float64, n), make([]float64, n)
		for j, v := range f { // ½(z·x − target)², at x = 0
			z[j], target[j] = 1/float64(j+1), math.Sqrt(2*v)
		}
		o, err := losses.NewLinear(losses.Squared{}, drotest.Dense(t, n, 1, z), target)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint("losses ", f)
		if n > 10 {
			name = fmt.Sprint(n, " losses ", f[:2], " to ", f[n-1])
		}
		respond := func(r recordedRun, a recordedAdversary) recordedRun {
			p := saddle.Answered(&Problem{Oracle: o, Dual: a.of(drotest.RngOf(uint64(n)), n), Primal: L2{Mu: 0.5}})
			c := saddle.NewCertifier(p)
			g, y := make([]float64, 1), make([]float64, n)
			for _, x := range []float64{0, 0, 0.25, -1e-9} {
				risk, tau := c.Respond(g, y, []float64{x})
				if x == 0 {
					r.objective = risk
				}
				also := r.of(&Result{X: g, Y: append([]float64{c.Own, c.Psi, c.Price, c.Second, c.Cancelled, c.Outside}, y...), Tau: tau, Risk: risk, Trace: make([]Check, 1)}, nil)
				r.bits = 31*r.bits + also.bits
			}
			bounds, err := Certify(p, []float64{0.25})
			r.bits = 31*r.bits + r.of(&Result{Trace: []Check{{Certificate: bounds}}}, err).bits
			return r
		}
		for _, a := range recordedAdversaries() {
			out = append(out, respond(recordedRun{problem: name, method: a.name}.of(&Result{Trace: make([]Check, 1)}, nil), a))
		}
		for k, a := range recordedEnds() { // one line for all losses, with the risk of the last
			if len(ends) <= k {
				ends = append(ends, recordedRun{problem: "all of these losses in turn", method: a.name}.of(&Result{Trace: make([]Check, 1)}, nil))
			}
			ends[k] = respond(ends[k], a)
		}
	}
	return append(out, ends...)
}
