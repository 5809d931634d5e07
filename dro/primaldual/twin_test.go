package primaldual

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/dro/saddle"
	"github.com/drotrain/drotrain/losses"
)

// A twin is a literal transcription of Alg. 1 with dense Jacobians: it keeps
// every x_k, y_k and every table of the past, and evaluates each formula of the
// paper from them. It shares with the code under test only the problem, the
// averaging sequence and the random blocks.
type twin struct {
	n, d   int
	f      func(x []float64) []float64
	jac    func(x []float64) [][]float64
	blocks blocks

	x, y    [][]float64   // x_k, y_k
	hatX    [][][]float64 // x̂_{k,I}
	hatY    [][]float64   // ŷ_k
	a, bigA []float64
}

func (w *twin) begin(x, y []float64) {
	hat := make([][]float64, w.blocks.count())
	for i := range hat {
		hat[i] = x
	}
	w.x, w.y, w.hatX, w.hatY = [][]float64{x}, [][]float64{y}, [][][]float64{hat}, [][]float64{y}
	w.a, w.bigA = []float64{0}, []float64{0}
}

// at is the index rule: any negative index means the initial value.
func at[T any](v []T, k int) T { return v[max(k, 0)] }

func (w *twin) block(j int) int {
	for i := range w.blocks.count() {
		if lo, hi := w.blocks.bounds(i); j >= lo && j < hi {
			return i
		}
	}
	panic("no block")
}

// hatF and hatJ are the tables f̂_k and Ĵ_k, Equation (34).
func (w *twin) hatF(k int) []float64 {
	f := make([]float64, w.n)
	for j := range f {
		f[j] = w.f(at(w.hatX, k)[w.block(j)])[j]
	}
	return f
}

func (w *twin) hatJ(k int) [][]float64 {
	rows := make([][]float64, w.n)
	for j := range rows {
		rows[j] = w.jac(at(w.hatX, k)[w.block(j)])[j]
	}
	return rows
}

// times returns Jᵀy over the samples [lo, hi).
func (w *twin) times(rows [][]float64, y []float64, lo, hi int) []float64 {
	g := make([]float64, w.d)
	for j := lo; j < hi; j++ {
		for i, v := range rows[j] {
			g[i] += y[j] * v
		}
	}
	return g
}

func combine(a float64, x []float64, b float64, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range z {
		z[i] = a*x[i] + b*y[i]
	}
	return z
}

// refreshX and refreshY refresh the tables by Equation (35).
func (w *twin) refreshX(r int) {
	hat := append([][]float64(nil), w.hatX[len(w.hatX)-1]...)
	hat[r] = w.x[len(w.x)-1]
	w.hatX = append(w.hatX, hat)
}

func (w *twin) refreshY(s int) {
	hat := append([]float64(nil), w.hatY[len(w.hatY)-1]...)
	lo, hi := w.blocks.bounds(s)
	copy(hat[lo:hi], w.y[len(w.y)-1][lo:hi])
	w.hatY = append(w.hatY, hat)
}

// primal is Equation (10) for φ = (μ/2)‖·‖² (+ τ in the last coordinate if
// lifted): the minimiser of a quadratic, coordinate by coordinate.
func (w *twin) primal(g []float64, a, A float64, m moduli, mu, wP float64, gamma []float64, lifted bool) {
	k := len(w.x)
	c := (A*m.mu + m.mu0) / 2
	x := make([]float64, w.d)
	for i := range x {
		center := (1 - wP) * w.x[k-1][i]
		for block, gam := range gamma {
			center += wP * gam * w.hatX[k-1][block][i]
		}
		if lifted && i == w.d-1 {
			x[i] = center - a*(g[i]+1)/c
		} else {
			x[i] = (c*center - a*g[i]) / (a*mu + c)
		}
	}
	w.x = append(w.x, x)
}

// naiveDual is Equation (11) on the simplex, by the closed form of KL and by
// sorting for χ².
func naiveDual(d saddle.Dual, f, prev, hist []float64, a, e, wD float64) []float64 {
	n := float64(len(f))
	y := make([]float64, len(f))
	switch d := d.(side.Simplex); d.Divergence {
	case side.KullbackLeibler:
		total := 0.0
		for j := range y {
			y[j] = math.Exp((a*f[j] - a*d.Nu*math.Log(n) + e*((1-wD)*math.Log(prev[j])+wD*math.Log(hist[j]))) / (a*d.Nu + e))
			total += y[j]
		}
		for j := range y {
			y[j] /= total
		}
	case side.PearsonChi2:
		for j := range y {
			y[j] = (a*(f[j]+d.Nu) + e*n*((1-wD)*prev[j]+wD*hist[j])) / (a*d.Nu + e)
		}
		t := drotest.NaiveThreshold(y, n)
		for j := range y {
			y[j] = math.Max(0, y[j]-t) / n
		}
	}
	return y
}

// naiveBlock is the relaxation of math: §5 of one weight towards its best
// response, with β = aNν/(aν + e), and for a box with ν = 0 the step it tends to.
func naiveBlock(d saddle.Dual, f, y, a, e float64, blocks, n int) float64 {
	N, size := float64(blocks), float64(n)
	beta := a * N * d.Modulus() / (a*d.Modulus() + e)
	switch d := d.(type) {
	case side.Orthant:
		if d.Divergence == side.PearsonChi2 {
			r := size * y
			return math.Min(math.Max(0, r+beta*(1+f/d.Nu-r))/size, d.Cap)
		}
		u := math.Log(size * y)
		return math.Min(math.Exp(u+beta*(f/d.Nu-u))/size, d.Cap)
	case side.Box:
		if d.Nu == 0 {
			return math.Max(d.Lower, math.Min(y+a*N*f/e, d.Upper))
		}
		return math.Max(d.Lower, math.Min(y+beta*(f/d.Nu-y), d.Upper))
	}
	panic("no such dual")
}

// logisticTwin returns the dense functions of a logistic sample, lifted or not.
func logisticTwin(s drotest.Sample, lifted bool) *twin {
	margin := func(x []float64, j int) float64 {
		return s.Label[j] * engine.Dot(s.Design[j*s.D:(j+1)*s.D], x[:s.D])
	}
	w := &twin{n: s.N, d: s.D}
	if lifted {
		w.d++
	}
	w.f = func(x []float64) []float64 {
		f := make([]float64, s.N)
		for j := range f {
			f[j] = math.Log(1 + math.Exp(-margin(x, j)))
			if lifted {
				f[j] -= x[s.D]
			}
		}
		return f
	}
	w.jac = func(x []float64) [][]float64 {
		rows := make([][]float64, s.N)
		for j := range rows {
			slope := -s.Label[j] / (1 + math.Exp(margin(x, j)))
			for _, z := range s.Design[j*s.D : (j+1)*s.D] {
				rows[j] = append(rows[j], slope*z)
			}
			if lifted {
				rows[j] = append(rows[j], -1)
			}
		}
		return rows
	}
	return w
}

// uneven has rows of very different norms, so that every distribution over
// blocks is far from uniform.
func uneven(seed uint64, n, d int) drotest.Sample {
	s := drotest.NewSample(drotest.RngOf(seed), n, d, false)
	for j := range n {
		scale := math.Pow(3, float64(j%4)-1)
		for i := range d {
			s.Design[j*d+i] *= scale
		}
	}
	return s
}

// begun starts a method on p and returns its iteration before the first step.
func begun(t *testing.T, p *saddle.Problem, m saddle.Method, seed uint64) *iteration {
	t.Helper()
	s := engine.DefaultSettings()
	s.Seed = seed
	l, err := engine.NewLoop(t.Context(), p, m, s)
	if err != nil {
		t.Fatal(err)
	}
	var w *iteration
	switch method := l.Method.(type) {
	case *iteration:
		w = method
	case *practicalSchedule:
		w = method.iteration
	}
	w.start()
	return w
}

func agree(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if !drotest.IsNear(got[i], want[i], tol, want[i]) {
			t.Fatalf("%s: entry %d of %v, want %v", what, i, got, want)
		}
	}
}

const twinSteps = 8

// bold makes every step long enough that each term of the estimates matters: the
// formulas hold for any averaging sequence.
func bold(w *iteration) *iteration {
	w.template.theory = &theory{first: 0.3, slow: 0.2, slow0: 0.3, cap: math.Inf(1)}
	w.template.m.mu0, w.template.m.nu0 = 1.3, 0.7
	return w
}

func TestFullVector_AgainstReference(t *testing.T) {
	s := uneven(41, 7, 2)
	for _, d := range []saddle.Dual{side.Simplex{Nu: 0.3}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.3},
		side.Simplex{Nu: 0.02}, side.Simplex{Divergence: side.PearsonChi2}} {
		for _, mu := range []float64{0, 0.2} {
			w := bold(begun(t, &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: saddle.L2{Mu: mu}},
				FullVector{Schedule: Theory}, 1))
			estimator := w.template.estimator.(*fullEstimator)
			n := logisticTwin(s, false)
			n.blocks = blocks{[]int{0, 7}}
			n.begin(append([]float64(nil), w.template.x...), append([]float64(nil), estimator.y...))
			for k := 1; k <= twinSteps; k++ {
				A := w.template.A
				w.template.step()
				a, prev := w.template.a, w.template.aPrev
				now, before := n.times(n.jac(at(n.x, k-1)), at(n.y, k-1), 0, 7), n.times(n.jac(at(n.x, k-2)), at(n.y, k-2), 0, 7)
				g := combine(1+prev/a, now, -prev/a, before) // Equation (24)
				n.refreshX(0)
				n.primal(g, a, A, w.template.m, mu, 0, nil, false)
				n.y = append(n.y, naiveDual(d, n.f(n.x[k]), n.y[k-1], n.y[k-1], a, (A*w.template.m.nu+w.template.m.nu0)/2, 0))
				agree(t, fmt.Sprintf("%T μ=%v: x_%d", d, mu, k), w.template.x, n.x[k], 1e-11)
				agree(t, fmt.Sprintf("%T μ=%v: y_%d", d, mu, k), estimator.y, n.y[k], 1e-11)
			}
		}
	}
}

func TestStochastic_AgainstReference(t *testing.T) {
	s := uneven(42, 7, 2)
	for _, st := range []Strategy{Replacement, Historical} {
		for _, d := range []saddle.Dual{side.Simplex{Nu: 0.3}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.3},
			side.Simplex{Divergence: side.PearsonChi2}} {
			for _, mu := range []float64{0, 0.2} {
				m := Stochastic{Strategy: st, Schedule: Theory, Block: 2}
				w := bold(begun(t, &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: saddle.L2{Mu: mu}}, m,
					5))
				estimator := w.template.estimator.(*stochasticEstimator)
				n := logisticTwin(s, false)
				n.blocks = estimator.blocks
				n.begin(append([]float64(nil), w.template.x...), append([]float64(nil), estimator.y...))
				draw := rand.New(rand.NewPCG(5, 0x64726f))
				for k := 1; k <= twinSteps; k++ {
					A := w.template.A
					w.template.step()
					a, prev := w.template.a, w.template.aPrev
					P, Q := estimator.s.p.draw(draw), estimator.s.q.draw(draw)
					R, S := estimator.s.r.draw(draw), estimator.s.s.draw(draw)
					lo, hi := n.blocks.bounds(P)
					g := n.times(n.hatJ(k-1), at(n.hatY, k-1), 0, 7) // Equation (36)
					change := combine(1, n.times(n.jac(at(n.x, k-1)), at(n.y, k-1), lo, hi), -1,
						n.times(n.hatJ(k-2), at(n.hatY, k-2), lo, hi))
					g = combine(1, g, prev/(estimator.s.p.p[P]*a), change)
					n.primal(g, a, A, w.template.m, mu, estimator.points.w, estimator.points.gamma, false)
					n.refreshX(R)
					f, now, before := n.hatF(k), n.f(at(n.x, k-1)), n.hatF(k-1) // Equation (37)
					lo, hi = n.blocks.bounds(Q)
					for j := lo; j < hi; j++ {
						f[j] += prev / (estimator.s.q.p[Q] * a) * (now[j] - before[j])
					}
					n.y = append(n.y, naiveDual(d, f, n.y[k-1], n.hatY[k-1], a, (A*w.template.m.nu+w.template.m.nu0)/2, estimator.wD))
					n.refreshY(S)
					name := fmt.Sprintf("%v %T μ=%v", st, d, mu)
					agree(t, fmt.Sprintf("%s: x_%d", name, k), w.template.x, n.x[k], 1e-10)
					agree(t, fmt.Sprintf("%s: y_%d", name, k), estimator.y, n.y[k], 1e-10)
					agree(t, name+": ŷ", estimator.hatY, n.hatY[k], 1e-10)
					agree(t, name+": Ĵᵀŷ", estimator.aggregate, n.times(n.hatJ(k), n.hatY[k], 0, 7), 1e-10)
				}
			}
		}
	}
}

func TestSeparable_AgainstReference(t *testing.T) {
	s := uneven(43, 7, 2)
	for _, m := range []SeparableBlock{
		{Strategy: Replacement, Schedule: Theory, Block: 2},
		{Strategy: Historical, Schedule: Theory, Block: 2},
		{Strategy: Historical, Schedule: Theory, Block: 3, Uniform: true},
	} {
		for _, d := range []saddle.Dual{side.Simplex{Nu: 0.3}, side.Simplex{Divergence: side.PearsonChi2, Nu: 0.3},
			side.Simplex{Divergence: side.PearsonChi2, Alpha: 0.5, Nu: 0.3}, side.Box{Lower: 0, Upper: 0.5, Nu: 0.3},
			side.Box{Lower: 0, Upper: 0.5, Nu: 0}} {
			const mu = 0.2
			w := bold(begun(t, &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}), Dual: d, Primal: saddle.L2{Mu: mu}}, m,
				9))
			estimator := w.template.estimator.(*separableEstimator)
			sep := estimator.dual
			n := logisticTwin(s, w.lifted)
			n.blocks = estimator.blocks
			N := n.blocks.count()
			n.begin(append([]float64(nil), w.template.x...), append([]float64(nil), estimator.y...))
			draw := rand.New(rand.NewPCG(9, 0x64726f))
			bar := [][]float64{n.y[0]} // ȳ_k, Equation (68)
			for k := 1; k <= twinSteps; k++ {
				A := w.template.A
				w.template.step()
				a, prev := w.template.a, w.template.aPrev
				P := -1
				if k > 1 {
					P = estimator.s.p.draw(draw)
				}
				Q, R := draw.IntN(N), estimator.s.r.draw(draw)
				g := n.times(n.hatJ(k-1), at(n.y, k-1), 0, 7) // Equation (72)
				if P >= 0 {
					lo, hi := n.blocks.bounds(P)
					change := combine(1, n.times(n.jac(n.x[k-1]), bar[k-1], lo, hi), -1, n.times(n.hatJ(k-2), at(n.y, k-2), lo, hi))
					g = combine(1, g, prev/(estimator.s.p.p[P]*a), change)
				}
				n.primal(g, a, A, w.template.m, mu, estimator.points.w, estimator.points.gamma, w.lifted)
				full, y, f := make([]float64, 7), append([]float64(nil), n.y[k-1]...), n.f(n.x[k])
				for j := range full {
					full[j] = naiveBlock(sep, f[j], y[j], a, (A*w.template.m.nu+w.template.m.nu0)/2, N, 7)
				}
				lo, hi := n.blocks.bounds(Q)
				copy(y[lo:hi], full[lo:hi])
				bar, n.y = append(bar, full), append(n.y, y)
				n.refreshX(R)
				name := fmt.Sprintf("%v %T", m.Strategy, d)
				agree(t, fmt.Sprintf("%s: x_%d", name, k), w.template.x, n.x[k], 1e-10)
				agree(t, fmt.Sprintf("%s: y_%d", name, k), estimator.y, n.y[k], 1e-10)
				agree(t, name+": Ĵᵀy", estimator.aggregate, n.times(n.hatJ(k), n.y[k], 0, 7), 1e-10)
			}
		}
	}
}

// The averages of the theory are those of what it is followed by, by the weights of the steps.
func TestAverages_AgainstSteps(t *testing.T) {
	s := drotest.NewSample(drotest.RngOf(72), 40, 3, false)
	for _, m := range []saddle.Method{FullVector{Schedule: Theory}, Stochastic{Schedule: Theory, Block: 9}} {
		x, y, total := make([]float64, 3), make([]float64, 40), 0.0
		settings := engine.DefaultSettings()
		settings.Follow = func(at saddle.Iterate) {
			for i, v := range at.X {
				x[i] += at.Weight * v
			}
			for j, v := range at.Y {
				y[j] += at.Weight * v
			}
			if total += at.Weight; !drotest.IsNear(total, at.Total, 1e-12*total, 0) {
				t.Errorf("%T: weights sum to %v, not %v", m, total, at.Total)
			}
		}
		l, err := engine.NewLoop(t.Context(), &saddle.Problem{Oracle: s.Oracle(t, losses.Logistic{}),
			Dual:   side.Simplex{Nu: 0.5},
			Primal: saddle.L2{}}, m, settings)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		w := l.Method.(*iteration)
		for range 12 {
			if err := w.Step(); err != nil {
				t.Fatal(err)
			}
			for i, v := range w.template.averageX {
				if !drotest.IsNear(v*total, x[i], 1e-12*total, 0) {
					t.Fatalf("%T: an average of %v, not %v", m, v, x[i]/total)
				}
			}
			for j, v := range w.averageY {
				if !drotest.IsNear(v*total, y[j], 1e-12*total, 0) {
					t.Fatalf("%T: an average weight of %v, not %v", m, v, y[j]/total)
				}
			}
		}
	}
}
