package theory

import (
	"math"
	"math/rand/v2"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/primaldual"
	"github.com/drotrain/drotrain/losses"
)

// An instance is a synthetic problem with the constants on which the theorems depend.
type instance struct {
	n, d       int
	mu, nu     float64
	oracle     dro.Oracle
	primal     dro.Primal
	dual       dro.Dual
	lipschitz  []float64 // H_j
	smoothness []float64 // M_j
	weightCap  float64   // the largest y_j
	sum        bool      // weights are in the simplex, so that ‖·‖_Y = ‖·‖₁
	bilinear   bool      // f is linear, so that the gap of the averages is known exactly
	// n·d entries of the rows z_j of losses ℓ(z_jᵀx) with slopes of at most 1; nil if f is linear
	rows []float64
}

// powerScales returns n row scales (1/j)^power, of which the largest is 1.
func powerScales(n int, power float64) []float64 {
	s := make([]float64, n)
	for j := range s {
		s[j] = math.Pow(float64(j+1), -power)
	}
	return s
}

// newGame returns the separable matrix game
//
//	min_{x∈Δ_d} max_{|y_j| ≤ 1} ⟨y, Ax + b⟩ − (ν/2)‖y‖² + μ Σ x_i log(d x_i),
//
// for μ = ν = 0 the least absolute deviation ‖Ax + b‖₁ over the simplex. The
// entries of row j are uniform in ±scale_j, so that H_j = max_i |A_ji|.
func newGame(scale []float64, d int, mu, nu float64, seed uint64) *instance {
	in := newBilinear(scale, d, seed)
	in.mu, in.nu, in.weightCap = mu, nu, 1
	in.primal = dro.Entropy{Mu: mu}
	in.dual = primaldual.Box{Lower: -1, Upper: 1, Nu: nu}
	return in
}

func newBilinear(scale []float64, d int, seed uint64) *instance {
	n := len(scale)
	rng := rand.New(rand.NewPCG(seed, 1))
	a, b := make([]float64, n*d), make([]float64, n)
	for j, s := range scale {
		for i := range d {
			a[j*d+i] = s * (2*rng.Float64() - 1)
		}
		b[j] = s * (rng.Float64() - 0.5)
	}
	oracle, err := dro.NewBilinear(n, d, a, b, true)
	if err != nil {
		panic(err)
	}
	in := &instance{n: n, d: d, oracle: oracle, bilinear: true}
	in.constants(oracle.(conditioned))
	return in
}

// newTraining returns a robust training problem on synthetic rows: logistic losses of n rows of norm scale_j, φ =
// (μ/2)‖x‖². If simplex is set, Y is the simplex with the KL penalty. Otherwise it is the dual-separable box 0 ≤
// y_j ≤ 1/n with the penalty (νn/2)‖y‖², so that ν has the same meaning in both; a constant is then subtracted from
// the losses, so that the weight of a small loss is 0.
func newTraining(scale []float64, d int, mu, nu float64, simplex bool, seed uint64) *instance {
	n := len(scale)
	rng := rand.New(rand.NewPCG(seed, 2))
	z, t := make([]float64, n*d), make([]float64, n)
	truth := make([]float64, d)
	for i := range truth {
		truth[i] = rng.NormFloat64()
	}
	for j, s := range scale {
		row, norm, margin := z[j*d:(j+1)*d], 0.0, 0.0
		for i := range row {
			row[i] = rng.NormFloat64()
			norm += row[i] * row[i]
			margin += row[i] * truth[i]
		}
		for i := range row {
			row[i] *= s / math.Sqrt(norm)
		}
		t[j] = 1
		if margin+rng.NormFloat64() < 0 {
			t[j] = -1
		}
	}
	rows, err := design.NewDense(n, d, z)
	if err != nil {
		panic(err)
	}
	oracle, err := losses.NewLinear(losses.Logistic{}, rows, t)
	if err != nil {
		panic(err)
	}
	in := &instance{n: n, d: d, mu: mu, oracle: oracle, sum: simplex, rows: z}
	if !simplex {
		in.oracle = excess{oracle, excessOver}
	}
	in.constants(oracle)
	in.primal = dro.L2{Mu: mu}
	if simplex {
		in.nu, in.weightCap = nu, 1
		in.dual = dro.KL{Nu: nu}
		return in
	}
	in.nu, in.weightCap = nu*float64(n), 1/float64(n)
	in.dual = primaldual.Box{Upper: in.weightCap, Nu: in.nu}
	return in
}

// excessOver is the loss up to which a sample has no weight: slightly less than the loss at x = 0.
const excessOver = 0.6

// An excess is an oracle of losses minus a constant, with the methods that the theoretical schedules use.
type excess struct {
	*losses.Linear
	over float64
}

// EvalTo implements dro.Oracle.
func (o excess) EvalTo(value, slope, x []float64, lo, hi int) {
	o.Linear.EvalTo(value, slope, x, lo, hi)
	for j := lo; j < hi; j++ {
		value[j] -= o.over
	}
}

// NonNegative returns false, since losses may be negative.
func (excess) NonNegative() bool { return false }

// Rounding returns no bounds, since these apply to losses ≥ 0, and the losses of an excess may be negative.
func (excess) Rounding() (terms int, largest []float64, smoothness float64) { return 0, nil, 0 }

// newSimplexTraining returns the box problem of newTraining with μ = 0 and x on the simplex. Its constants in ‖·‖₂ are
// upper bounds for those in ‖·‖₁.
func newSimplexTraining(scale []float64, d int, nu float64, seed uint64) *instance {
	in := newTraining(scale, d, 0, nu, false, seed)
	in.primal = dro.Entropy{}
	return in
}

func (in *instance) constants(o conditioned) {
	in.lipschitz, in.smoothness = make([]float64, in.n), make([]float64, in.n)
	o.ConstantsTo(in.lipschitz, in.smoothness, make([]float64, in.d))
}

// A gauge computes bounds on the value of an instance.
type gauge struct {
	in                *instance
	primal            dro.Primal
	dual              dro.Dual
	f, slope, best, g []float64
	upper, lower      float64
}

func (in *instance) gauge() *gauge {
	n, d := in.n, in.d
	return &gauge{in: in, primal: in.primal, dual: in.dual,
		f: make([]float64, n), slope: make([]float64, n), best: make([]float64, n), g: make([]float64, d),
		upper: math.Inf(1), lower: math.Inf(-1)}
}

// bounds returns max_y' L(x, y') and a lower bound of min_x' L(x', y), which are exact if f is linear. A nil y
// means the best response at x.
func (m *gauge) bounds(x, y []float64) (upper, lower float64) {
	m.in.oracle.EvalTo(m.f, m.slope, x, 0, m.in.n)
	risk, _ := m.dual.BestResponseTo(m.best, m.f)
	if y == nil {
		y = m.best
	}
	clear(m.g)
	m.in.oracle.AddGradTo(m.g, y, m.slope, 0, m.in.n)
	linear := 0.0
	for j, v := range y {
		linear += v * m.f[j]
	}
	phi := m.primal.Value(x)
	return risk + phi, linear - m.dual.Value(y) + phi - m.primal.FenchelYoung(x, m.g)
}

// instanceOf returns the instance for a case of the tables.
func (l *lab) instanceOf(mu, nu float64, smooth bool, power float64) *instance {
	const n, d = 16, 8
	switch {
	case !smooth:
		return newGame(powerScales(n, power), d, mu, nu, l.seed+1)
	case mu > 0:
		return newTraining(powerScales(n, power), d, mu, nu, false, l.seed+1)
	}
	return newSimplexTraining(powerScales(n, power), d, nu, l.seed+1)
}
