package hunt

import (
	"math"

	"pgregory.net/rapid"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/internal/sets"
	"github.com/drotrain/drotrain/losses"
)

// A problem is one random problem. Its entries are single-precision numbers, so that every storage
// holds the same problem.
type problem struct {
	exact.Problem
	kind    string // kind of ambiguity set, as named in sets.All
	dual    dro.Dual
	start   []float64
	gap     float64
	storage string // dense, dense32 or sparse
}

// power draws 10 to the power of a number between low and high.
func power(t *rapid.T, low, high float64, label string) float64 {
	return math.Pow(10, rapid.Float64Range(low, high).Draw(t, label))
}

// entries draws n numbers: whole numbers (with ties and zeros), moderate numbers, or numbers with outliers.
func entries(t *rapid.T, n int, label string) []float64 {
	one := []*rapid.Generator[float64]{
		rapid.Map(rapid.IntRange(-2, 2), func(k int) float64 { return float64(k) }),
		rapid.Float64Range(-3, 3),
		rapid.Custom(func(t *rapid.T) float64 {
			v := rapid.Float64Range(-3, 3).Draw(t, "v")
			return v * math.Pow(10, float64(max(0, rapid.IntRange(-12, 4).Draw(t, "outlier"))))
		}),
	}[rapid.IntRange(0, 2).Draw(t, label+" kind")]
	return rapid.SliceOfN(one, n, n).Draw(t, label)
}

// draw returns a random problem. If kind is not empty, its ambiguity set is of that kind.
func draw(t *rapid.T, kind string) *problem {
	p := &problem{}
	p.N, p.D = rapid.IntRange(1, 16).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
	p.Rows = entries(t, p.N*p.D, "rows")
	wide := rapid.SampledFrom([]float64{0, 0, 2, 8}).Draw(t, "scales")
	p.Intercept = rapid.Bool().Draw(t, "intercept")
	for k := range p.D {
		scale, offset := power(t, -wide, wide, "scale"), 0.0
		if rapid.IntRange(0, 5).Draw(t, "has offset") == 0 {
			offset = scale * power(t, 0, 6, "offset")
		}
		for j := range p.N {
			v := &p.Rows[j*p.D+k]
			if *v = float64(float32(*v*scale + offset)); p.Intercept && k == p.D-1 {
				*v = 1
			}
		}
	}
	p.repeatColumn(t)
	p.Loss = rapid.SampledFrom([]string{"logistic", "squared", "huber", "poisson", "quantile"}).Draw(t, "loss")
	p.Delta = 1
	p.Target = entries(t, p.N, "target")
	if rapid.IntRange(0, 7).Draw(t, "has unit") == 0 && p.Loss != "poisson" { // e^m overflows at once
		unit := power(t, -12, 8, "unit")
		for j := range p.Target {
			p.Target[j] *= unit
		}
	}
	switch p.Loss {
	case "logistic":
		for j, v := range p.Target {
			if p.Target[j] = 1; v < 0 {
				p.Target[j] = -1
			}
		}
	case "huber":
		p.Delta = power(t, -4, 3, "delta")
	case "poisson":
		for j, v := range p.Target {
			p.Target[j] = math.Abs(v)
		}
	case "quantile":
		p.Level, p.Width = rapid.Float64Range(0.02, 0.98).Draw(t, "level"), power(t, -4, 3, "width")
	}
	p.Mu = power(t, -8, 2, "mu")
	if rapid.IntRange(0, 5).Draw(t, "no ridge") == 0 {
		p.Mu = 0
	}
	p.drawSet(t, kind)
	if p.Loss != "squared" && (p.kind == "given" || p.kind == "penalty") && rapid.IntRange(0, 2).Draw(t, "has norm") == 0 {
		p.Norm = power(t, -6, 2, "norm")
	}
	if rapid.IntRange(0, 4).Draw(t, "has start") == 0 {
		p.start = entries(t, p.D, "start")
	}
	p.gap = power(t, -11, -4, "gap")
	p.storage = rapid.SampledFrom([]string{"dense", "dense32", "sparse"}).Draw(t, "storage")
	return p
}

// repeatColumn makes the first column a multiple of the second, or a constant, in some of the problems.
func (p *problem) repeatColumn(t *rapid.T) {
	last := p.D - 1
	if p.Intercept {
		last--
	}
	if last < 1 || rapid.IntRange(0, 7).Draw(t, "has repeat") > 0 {
		return
	}
	factor := rapid.SampledFrom([]float64{1, -1, 2, 0}).Draw(t, "factor")
	for j := range p.N {
		row := p.Rows[j*p.D : (j+1)*p.D]
		if row[0] = float64(float32(factor * row[1])); factor == 0 {
			row[0] = 1
		}
	}
}

// A source draws the random parameters of an ambiguity set.
type source struct{ *rapid.T }

func (s source) Int(low, high int, label string) int {
	return rapid.IntRange(low, high).Draw(s.T, label)
}

func (s source) Float(low, high float64, label string) float64 {
	return rapid.Float64Range(low, high).Draw(s.T, label)
}

// drawSet draws the ambiguity set. If kind is not empty, the set is of that kind.
func (p *problem) drawSet(t *rapid.T, kind string) {
	all := sets.All()
	set := rapid.SampledFrom(all).Draw(t, "kind")
	for _, s := range all {
		if s.Name == kind {
			set = s
		}
	}
	c := set.Draw(source{t}, p.N)
	p.kind, p.dual = set.Name, c.Dual
	p.Adversary, p.Group, p.Other = c.Exact.Adversary, c.Exact.Group, c.Exact.Other
	p.Share, p.Adjust = c.Exact.Share, c.Exact.Adjust
}

// problem converts the problem to a dro.Problem.
func (p *problem) problem() (*dro.Problem, error) {
	var z design.Matrix
	var err error
	switch p.storage {
	case "dense32":
		x := make([]float32, len(p.Rows))
		for i, v := range p.Rows {
			x[i] = float32(v)
		}
		z, err = design.NewDense32(p.N, p.D, x)
	case "sparse":
		start, column, value := make([]int, 1, p.N+1), []int32{}, []float64{}
		for j := range p.N {
			for k, v := range p.Rows[j*p.D : (j+1)*p.D] {
				if v != 0 {
					column, value = append(column, int32(k)), append(value, v)
				}
			}
			start = append(start, len(value))
		}
		z, err = design.NewSparse(p.N, p.D, start, column, value)
	default:
		z, err = design.NewDense(p.N, p.D, p.Rows)
	}
	if err != nil {
		return nil, err
	}
	loss, err := p.loss()
	if err != nil {
		return nil, err
	}
	o, err := losses.NewLinear(loss, z, p.Target)
	if err != nil {
		return nil, err
	}
	if p.Norm > 0 {
		return &dro.Problem{Oracle: o, Dual: p.dual, Primal: dro.Wasserstein{Mu: p.Mu, Radius: p.Norm,
			Intercept: p.Intercept}}, nil
	}
	return &dro.Problem{Oracle: o, Dual: p.dual, Primal: dro.L2{Mu: p.Mu, Intercept: p.Intercept}}, nil
}

// loss returns the corresponding loss of package losses.
func (p *problem) loss() (losses.Loss, error) {
	if p.Loss == "quantile" {
		return losses.Quantile{Level: p.Level, Width: p.Width}, nil
	}
	return losses.Parse(p.Loss, p.Delta)
}
