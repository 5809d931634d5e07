package verify_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/exact"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/verify"
)

// writeTable writes a table with targets of every kind, weights and groups, and returns its path.
func writeTable(t *testing.T, rows int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	b.WriteString("a,b,c,group,weight,number,count,class,yes,part\n")
	for range rows {
		x := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.ExpFloat64()}
		g, m := rng.IntN(3), x[0]-0.5*x[1]+0.2*x[2]
		class := []string{"u", "v", "w"}[min(2, max(0, int(1.5+m+0.7*rng.NormFloat64())))]
		yes := map[bool]string{true: "yes", false: "no"}[rng.Float64() < 1/(1+math.Exp(-m*float64(2-g)))]
		part := map[bool]string{true: "validation", false: "train"}[rng.IntN(2) == 0]
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f,g%d,%.3f,%.4f,%d,%s,%s,%s\n", x[0], x[1], x[2], g, 0.5+2*rng.Float64(),
			m+rng.NormFloat64()*float64(1+g), int(rng.ExpFloat64()*math.Exp(0.5*m)), class, yes, part)
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A trained model with its file and its proof.
type trained struct {
	*train.Model
	file  []byte
	proof *verify.Proof
	path  string // of the table
}

// trainOn trains on a table with the settings of set.
func trainOn(t *testing.T, path string, set func(c *train.Config)) *trained {
	t.Helper()
	c := train.DefaultConfig()
	c.Data, c.Groups, c.KeepRows, c.KeepProof = path, []string{"group"}, true, true
	set(&c)
	c.NoBaseline = c.Average == ""
	for _, name := range []string{"number", "count", "class", "yes", "weight", "part"} {
		if name != c.Target && name != c.Weight && name != c.Exposure && name != c.ValidationSplit {
			c.Drop = append(c.Drop, name)
		}
	}
	m, err := train.Fit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Prove(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	return &trained{m, file.Bytes(), p, path}
}

// check writes and reads a proof and checks it against a model file and a table.
func check(t *testing.T, file []byte, table string, columns []data.Column) (*verify.Report, error) {
	t.Helper()
	m, err := verify.ReadModel(file)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(t.TempDir(), "proof.parquet")
	if err := data.WriteTable(path, columns, true); err != nil {
		t.Fatal(err)
	}
	stored, err := data.Open(t.Context(), path, data.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	p, err := verify.ReadProof(t.Context(), stored, m.Encoder.Target.Outputs())
	if err != nil {
		return nil, err
	}
	f, err := data.Open(t.Context(), table, m.Reading())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return verify.Check(t.Context(), m, f, p)
}

// columns returns the proof for a model file, as train writes it.
func (m *trained) columns(t *testing.T, file []byte) []data.Column {
	t.Helper()
	checked, err := verify.ReadModel(file)
	if err != nil {
		t.Fatal(err)
	}
	return m.proof.Columns(checked.Identifier(), m.Sources)
}

func at(v float64) *float64 { return &v }

// cases has every loss and every kind of set that the command has.
var cases = []struct {
	name string
	set  func(c *train.Config)
}{
	{"logistic, KL penalty", func(c *train.Config) { c.Target, c.Nu = "yes", at(0.5) }},
	{"logistic, χ² penalty, weights", func(c *train.Config) {
		c.Target, c.Nu, c.Penalty, c.Weight = "yes", at(0.5), "chi2",
			"weight"
	}},
	{"logistic, KL ball", func(c *train.Config) { c.Target, c.Ess = "yes", at(0.9) }},
	{"logistic, χ² ball without an intercept", func(c *train.Config) {
		c.Target, c.Radius, c.Penalty, c.Intercept = "yes", at(0.1), "chi2", false
	}},
	{"logistic, wide χ² ball", func(c *train.Config) { c.Target, c.Radius, c.Penalty = "yes", at(2), "chi2" }},
	{"huber, widest χ² ball, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Radius, c.Penalty, c.Mu = "number", "huber", at(1000), "chi2", at(0)
	}},
	{"squared, widest KL ball", func(c *train.Config) { c.Target, c.Loss, c.Radius = "number", "squared", at(100) }},
	{"squared, CVaR", func(c *train.Config) { c.Target, c.Loss, c.Protect = "number", "squared", at(0.3) }},
	{"huber, CVaR, weights", func(c *train.Config) {
		c.Target, c.Loss, c.Protect, c.Weight = "number", "huber", at(0.3), "weight"
	}},
	{"huber, KL ball", func(c *train.Config) { c.Target, c.Loss, c.Ess = "number", "huber", at(0.5) }},
	{"squared, groups", func(c *train.Config) {
		c.Target, c.Loss, c.Nu, c.Adversary, c.Adjust = "number", "squared", at(0), "groups", 0.3
	}},
	{"squared, penalised groups, weights", func(c *train.Config) {
		c.Target, c.Loss, c.Nu, c.Adversary, c.Weight = "number", "squared", at(0.2), "groups", "weight"
	}},
	{"squared, ball of groups", func(c *train.Config) {
		c.Target, c.Loss, c.Radius, c.Adversary, c.Penalty = "number", "squared", at(0.05), "groups", "chi2"
	}},
	{"poisson, KL ball", func(c *train.Config) { c.Target, c.Loss, c.Ess = "count", "poisson", at(0.8) }},
	{"quantile, KL penalty", func(c *train.Config) { c.Target, c.Loss, c.Nu = "number", "quantile:0.9", at(0.1) }},
	{"quantile, ERM", func(c *train.Config) { c.Target, c.Loss, c.Average = "number", "quantile:0.3", "plain" }},
	{"softmax, χ² ball", func(c *train.Config) { c.Target, c.Ess, c.Penalty = "class", at(0.8), "chi2" }},
	{"softmax, CVaR", func(c *train.Config) { c.Target, c.Protect = "class", at(0.7) }},
	{"logistic, Wasserstein ball", func(c *train.Config) { c.Target, c.Wasserstein = "yes", at(0.05) }},
	{"huber, Wasserstein ball, weights", func(c *train.Config) {
		c.Target, c.Loss, c.Wasserstein, c.Weight = "number", "huber", at(0.1), "weight"
	}},
	{"quantile, wide Wasserstein ball without an intercept", func(c *train.Config) {
		c.Target, c.Loss, c.Wasserstein, c.Intercept = "number", "quantile:0.8", at(5), false
	}},
	{"poisson, rates", func(c *train.Config) {
		c.Target, c.Loss, c.Ess, c.Exposure, c.Weight = "count", "poisson", at(0.9), "weight", ""
	}},
	{"poisson, rates, penalised groups", func(c *train.Config) {
		c.Target, c.Loss, c.Nu, c.Adversary, c.Exposure = "count", "poisson", at(0.1), "groups", "weight"
	}},
	{"logistic, total variation", func(c *train.Config) { c.Target, c.Radius, c.Penalty = "yes", at(0.05), "tv" }},
	{"squared, extremile, weights", func(c *train.Config) {
		c.Target, c.Loss, c.Spectral, c.Weight = "number", "squared", "extremile:2", "weight"
	}},
	{"huber, esrm", func(c *train.Config) { c.Target, c.Loss, c.Spectral = "number", "huber", "esrm:1" }},
	{"logistic, superquantile", func(c *train.Config) { c.Target, c.Spectral = "yes", "superquantile:0.8" }},
	{"logistic, largest loss", func(c *train.Config) { c.Target, c.Nu = "yes", at(0) }},
	{"logistic, balanced", func(c *train.Config) { c.Target, c.Average = "yes", "balanced" }},
	{"logistic, half-balanced, rounded", func(c *train.Config) {
		c.Target, c.Average, c.Storage = "yes", "half-balanced", "float32"
	}},
	{"logistic, mean of models on balanced subsets", func(c *train.Config) { c.Target, c.Average = "yes", "subsets" }},
	{"squared, mean of models on subsets, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Average, c.Mu = "number", "squared", "subsets", at(0)
	}},
	{"softmax, mean of models on validation rows", func(c *train.Config) {
		c.Target, c.Average, c.ValidationSplit = "class", "validation-subsets", "part"
	}},
	{"logistic, KL ball, μ = 0", func(c *train.Config) { c.Target, c.Ess, c.Mu = "yes", at(0.9), at(0) }},
	{"squared, CVaR without an intercept, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Protect, c.Intercept, c.Mu = "number", "squared", at(0.3), false, at(0)
	}},
	{"squared, penalised groups, dependent columns, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Nu, c.Adversary, c.Mu = "number", "squared", at(0.2), "groups", at(0)
	}},
	{"huber, total variation, weights, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Radius, c.Penalty, c.Weight, c.Mu = "number", "huber", at(0.05), "tv", "weight", at(0)
	}},
	{"poisson, χ² penalty, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Nu, c.Penalty, c.Mu = "count", "poisson", at(0.5), "chi2", at(0)
	}},
	{"quantile, ERM, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Average, c.Mu = "number", "quantile:0.3", "plain", at(0)
		c.GroupFeatures = false
	}},
	{"quantile, CVaR, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Protect, c.Mu = "number", "quantile:0.9", at(0.3), at(0)
	}},
	{"quantile, adjusted groups, dependent columns, weights, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Nu, c.Adversary, c.Mu = "number", "quantile:0.5", at(0.1), "groups", at(0)
		c.Adjust, c.Weight = 0.3, "weight"
	}},
	{"huber, largest loss, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Nu, c.Mu = "number", "huber", at(0), at(0)
	}},
	{"narrow huber, largest loss, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Nu, c.Mu, c.HuberDelta = "number", "huber", at(0), at(0), 0.05
	}},
	{"quantile, CVaR of few rows, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Protect, c.Mu = "number", "quantile:0.9", at(0.05), at(0)
	}},
	{"quantile, largest group, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Nu, c.Adversary, c.Adjust, c.Mu = "number", "quantile:0.9", at(0), "groups", 0.3, at(0)
	}},
	{"huber, total variation without an intercept, μ = 0", func(c *train.Config) {
		c.Target, c.Loss, c.Radius, c.Penalty, c.Mu = "number", "huber", at(0.3), "tv", at(0)
		c.Intercept, c.HuberDelta = false, 0.05
	}},
	{"logistic, Wasserstein ball, μ = 0", func(c *train.Config) {
		c.Target, c.Wasserstein, c.Mu = "yes", at(0.05), at(0)
	}},
}

func TestCheck_ProvesEveryLossAndSet(t *testing.T) {
	table := writeTable(t, 150)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := trainOn(t, table, c.set)
			r, err := check(t, m.file, m.path, m.columns(t, m.file))
			if err != nil {
				t.Fatal(err)
			}
			if !r.Proved() {
				t.Fatalf("refused: %s", r.Refused)
			}
			upper, _ := r.Upper.Float64()
			lower, _ := r.Lower.Float64()
			stated := m.Result.Certificate
			if !(upper <= *stated.Upper && upper >= *stated.Lower && lower >= *stated.Lower && lower <= *stated.Upper) {
				t.Errorf("bounds %.17g, %.17g; the model states %.17g, %.17g", upper, lower, *stated.Upper, *stated.Lower)
			}
			if want := objectiveOf(m); want != nil { // another implementation, without intervals
				off, _ := exact.Sub(r.Upper, want).Float64()
				if !(off >= -1e-60 && off <= 1e-13*math.Abs(upper)) {
					t.Errorf("the objective is %v, and its bound is off by %g", want, off)
				}
			}
		})
	}
}

// objectiveOf returns the objective at the coefficients by the definitions of package exact, which has no softmax.
func objectiveOf(m *trained) exact.Real {
	if m.Classes() != nil || m.Config.IsMeanOfModels() {
		return nil
	}
	d, c := m.Run.Train, m.Config
	name, of, _ := strings.Cut(c.Loss, ":")
	p := exact.Problem{N: d.N, D: d.D, Target: d.Target, Loss: name, Delta: c.HuberDelta, Width: 0.01, Mu: *c.Mu,
		Intercept: c.Intercept}
	_, _ = fmt.Sscan(of, &p.Level)
	for j := range d.N {
		p.Rows = append(p.Rows, d.Row(j)...)
	}
	rows := train.Rows(d, m.Run.Weight)
	p.Adversary = exact.Adversary{Penalty: string(c.Penalty), Weights: m.Run.Weight}
	if c.Nu != nil {
		p.Nu = *c.Nu
	}
	switch {
	case c.Spectral != "":
		kind, parameter, _ := strings.Cut(c.Spectral, ":")
		p.Penalty, p.Ranks = "chi2", kind
		_, _ = fmt.Sscan(parameter, &p.Param)
	case c.Radius != nil && c.Penalty == "tv":
		p.Penalty, p.Ranks, p.Param = "chi2", "tv", *c.Radius
	case c.Radius != nil:
		p.Radius = *c.Radius
	case c.Ess != nil:
		p.Radius = c.Penalty.RadiusOfSize(*c.Ess)
	case c.Protect != nil:
		p.Alpha = *c.Protect
	case c.Wasserstein != nil:
		of, err := losses.Parse(c.Loss, c.HuberDelta)
		if err != nil {
			return nil
		}
		p.Alpha, p.Norm = 1, *c.Wasserstein*of.Lipschitz()
	case c.Average != "":
		dual, err := level.Level{Average: c.Average}.Dual(rows)
		if err != nil {
			return nil
		}
		if p.Alpha = 1; c.Average != "plain" {
			p.Weights = dual.(dro.Fixed).Weights
		}
	}
	if c.Adversary == "groups" {
		p.Share, p.Adversary.Weights = m.Run.Weight, make([]float64, len(rows.Labels))
		count := make([]float64, len(rows.Labels))
		place := map[int]int{} // of a row of the table
		for j, g := range rows.Group {
			p.Group = append(p.Group, int(g))
			count[g]++
			place[d.Rows[j]] = j
		}
		for _, row := range slices.Sorted(maps.Keys(place)) { // sums depend on the order in the last digit
			p.Adversary.Weights[rows.Group[place[row]]] += rows.Weight(place[row])
		}
		for _, n := range count {
			p.Adjust = append(p.Adjust, c.Adjust/math.Sqrt(n))
		}
	}
	x := make([]exact.Real, len(m.Coefficients))
	for i, v := range m.Coefficients {
		x[i] = exact.New(v)
	}
	return p.Objective(x)
}

// A mean of models is refused unless every averaged model is on a balanced subset, and the coefficients are the mean.
func TestCheck_RefusesChangesOfAMean(t *testing.T) {
	table := writeTable(t, 80)
	m := trainOn(t, table, func(c *train.Config) { c.Target, c.Average = "yes", "subsets" })
	size := len(m.proof.Rows) / 10
	numbers := map[string]struct {
		change func(p *verify.Proof)
		want   string
	}{
		"a part left out": {func(p *verify.Proof) {
			n := 9 * size
			p.Parts, p.Rows, p.Weight, p.Slope = p.Parts[:n], p.Rows[:n], p.Weight[:n], p.Slope[:n]
		}, "10 parts"},
		"no parts": {func(p *verify.Proof) {
			p.Parts, p.Rows, p.Weight, p.Slope = nil, p.Rows[:size], p.Weight[:size], p.Slope[:size]
		}, "10 parts"},
		"a row left out": {func(p *verify.Proof) {
			p.Parts, p.Rows, p.Weight, p.Slope = p.Parts[1:], p.Rows[1:], p.Weight[1:], p.Slope[1:]
		}, "not balanced"},
		"the subset of another part": {func(p *verify.Proof) {
			copy(p.Rows[:size], p.Rows[size:])
		}, ""},
		"a row that was held out": {func(p *verify.Proof) {
			for row := range 80 {
				if at, _ := slices.BinarySearch(p.Rows[:size], row); at < size && !slices.Contains(m.Run.Train.Rows, row) {
					p.Rows[at] = row
					return
				}
			}
		}, "part 1"},
		"other weights": {func(p *verify.Proof) { p.Weight[0] *= 1.01 }, "given weights"},
		"slopes of one part / 2": {func(p *verify.Proof) {
			for j := range size {
				p.Slope[j] /= 2
			}
		}, "relative gap"},
	}
	honest := m.proof
	for name, c := range numbers {
		m.proof = &verify.Proof{Parts: slices.Clone(honest.Parts), Rows: slices.Clone(honest.Rows),
			Weight: slices.Clone(honest.Weight), Slope: slices.Clone(honest.Slope)}
		c.change(m.proof)
		refuses(t, name, c.want)(check(t, m.file, table, m.columns(t, m.file)))
	}
	m.proof = honest
	columns := m.columns(t, m.file)
	columns[0].Number = slices.Clone(columns[0].Number)
	columns[0].Number[size-1] = 2 // a row of the first part in the second one
	if r, err := check(t, m.file, table, columns); err == nil && r.Proved() {
		t.Error("proved with another part")
	}
	for name, change := range map[string]func(o *train.Model){
		"another mean":       func(o *train.Model) { o.Coefficients[0] *= 1 + 1e-9 },
		"nine models":        func(o *train.Model) { o.Averaged = o.Averaged[1:] },
		"no averaged models": func(o *train.Model) { o.Averaged = nil },
		"other models with the same mean": func(o *train.Model) {
			o.Averaged[0][0] += 0.25
			o.Averaged[1][0] -= 0.25
		},
	} {
		o, of := *m.Model, func(x []float64) []float64 { return slices.Clone(x) }
		o.Coefficients, o.Averaged = of(m.Coefficients), slices.Clone(m.Averaged)
		for k, x := range o.Averaged {
			o.Averaged[k] = of(x)
		}
		change(&o)
		var file bytes.Buffer
		if _, err := o.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		refuses(t, name, "")(check(t, file.Bytes(), table, m.columns(t, file.Bytes())))
	}
}

// With mu = 0, slopes at any other point than the optimum would prove too much if they were not moved.
func TestCheck_BalancesSlopesWithoutARegulariser(t *testing.T) {
	table := writeTable(t, 80)
	m := trainOn(t, table, func(c *train.Config) {
		c.Target, c.Ess, c.Mu, c.GroupFeatures = "yes", at(0.95), at(0), false
	})
	honest, err := check(t, m.file, table, m.columns(t, m.file))
	if err != nil || !honest.Proved() {
		t.Fatal(honest, err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	slopes := slices.Clone(m.proof.Slope)
	for name, slope := range map[string]func(s float64) float64{
		"those of x = 0":     func(s float64) float64 { return math.Copysign(0.5, s) },
		"of large losses":    func(s float64) float64 { return math.Copysign(0.999, s) },
		"a little too large": func(s float64) float64 { return 1.001 * s },
		"noisy":              func(s float64) float64 { return s * (1 + 0.01*rng.NormFloat64()) },
		"with larger noise":  func(s float64) float64 { return s * (1 + 0.3*rng.NormFloat64()) },
	} {
		for j, s := range slopes {
			m.proof.Slope[j] = slope(s)
		}
		r, err := check(t, m.file, table, m.columns(t, m.file))
		if err != nil {
			t.Fatal(err)
		}
		if r.Lower == nil && !strings.Contains(r.Refused, "mu = 0") {
			t.Errorf("%s: refused %q", name, r.Refused)
		}
		if r.Lower != nil && r.Lower.Cmp(honest.Upper) > 0 {
			t.Errorf("%s: the lower bound %v is above the objective %v", name, r.Lower, honest.Upper)
		}
	}
}

// Without a regulariser, slopes that nearly cancel prove a gap of 1e-10 even if some columns have no curved losses.
func TestCheck_SmallGapsWithoutARegulariser(t *testing.T) {
	table := writeTable(t, 40)
	for name, set := range map[string]func(c *train.Config){
		"median":                  func(c *train.Config) { c.Loss, c.Average = "quantile:0.5", "plain" },
		"narrow huber, KL ball":   func(c *train.Config) { c.Loss, c.Radius, c.HuberDelta = "huber", at(1), 0.05 },
		"huber, χ² ball":          func(c *train.Config) { c.Loss, c.Radius, c.Penalty = "huber", at(2), "chi2" },
		"huber, superquantile":    func(c *train.Config) { c.Loss, c.Spectral = "huber", "superquantile:0.4" },
		"narrow huber, extremile": func(c *train.Config) { c.Loss, c.Spectral, c.HuberDelta = "huber", "extremile:3", 0.05 },
	} {
		m := trainOn(t, table, func(c *train.Config) {
			c.Target, c.Mu, c.Gap = "number", at(0), 1e-10
			set(c)
		})
		r, err := check(t, m.file, table, m.columns(t, m.file))
		if err != nil || !m.Result.Certified || !r.Proved() {
			t.Errorf("%s: %s, %+v, %v", name, m.Result.Status, r, err)
		}
	}
}

// The growth of a loss bounds how far the optimum is: at other coefficients and with other slopes, for which the
// linear parts of the losses alone would prove too much, the lower bound stays below the optimum.
func TestCheck_GrowthIsABoundAtOtherCoefficients(t *testing.T) {
	table := writeTable(t, 80)
	for _, set := range []func(c *train.Config){
		func(c *train.Config) { c.Loss, c.Average = "quantile:0.5", "plain" },
		func(c *train.Config) { c.Loss, c.Protect = "quantile:0.9", at(0.3) },
		func(c *train.Config) { c.Loss, c.Nu, c.HuberDelta = "huber", at(0), 0.2 },
		func(c *train.Config) { c.Loss, c.Nu, c.Adversary, c.Adjust = "huber", at(0.1), "groups", 0.3 },
	} {
		m := trainOn(t, table, func(c *train.Config) {
			c.Target, c.Mu = "number", at(0)
			set(c)
		})
		honest, err := check(t, m.file, table, m.columns(t, m.file))
		if err != nil || !honest.Proved() {
			t.Fatal(m.Config.Loss, honest, err)
		}
		of, err := losses.Parse(m.Config.Loss, m.Config.HuberDelta)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(9, 8))
		for _, away := range []float64{0, 1e-9, 1e-6, 1e-3, 0.1, 1} {
			o, x := *m.Model, slices.Clone(m.Coefficients)
			for i := range x {
				x[i] += away * rng.NormFloat64()
			}
			o.Coefficients = x
			var file bytes.Buffer
			if _, err := o.WriteTo(&file); err != nil {
				t.Fatal(err)
			}
			for j, row := range m.Run.Train.Rows { // the slopes at x, which prove P(x) without the term of the growth
				place, _ := slices.BinarySearch(m.proof.Rows, row)
				margin, slope := []float64{0}, []float64{0}
				for i, z := range m.Run.Train.Row(j) {
					margin[0] += z * x[i]
				}
				of.EvalTo([]float64{0}, slope, margin, m.Run.Train.Target[j:j+1])
				m.proof.Slope[place] = slope[0]
			}
			r, err := check(t, file.Bytes(), table, m.columns(t, file.Bytes()))
			if err != nil || r.Lower == nil {
				t.Fatal(m.Config.Loss, away, r, err)
			}
			if r.Lower.Cmp(honest.Upper) > 0 {
				t.Errorf("%s, %v away: the lower bound %v is above the optimum, at most %v", m.Config.Loss, away, r.Lower,
					honest.Upper)
			}
		}
	}
}

// Without a regulariser and where columns depend on each other, softmax is not certified by the solver. Its proof is
// valid all the same.
func TestCheck_SoftmaxWithoutARegulariser(t *testing.T) {
	table := writeTable(t, 150)
	m := trainOn(t, table, func(c *train.Config) { c.Target, c.Nu, c.Mu = "class", at(1), at(0) })
	m.file = bytes.Replace(m.file, []byte(`"certified": false`), []byte(`"certified": true`), 1)
	r, err := check(t, m.file, table, m.columns(t, m.file))
	if err != nil || r.Lower == nil || !(r.Relative <= 1e-9) {
		t.Errorf("%+v, %v", r, err)
	}
}

// A column that depends on others up to rounding has no coefficient with a finite bound.
func TestCheck_RefusesADependentColumn(t *testing.T) {
	text, err := os.ReadFile(writeTable(t, 80))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, line := range lines {
		a, b, _ := strings.Cut(line, ",")
		b, _, _ = strings.Cut(b, ",")
		if lines[i] += ",d"; i > 0 {
			var v, w float64
			_, _ = fmt.Sscan(a+" "+b, &v, &w)
			lines[i] = fmt.Sprintf("%s,%v", line, v/3+w)
		}
	}
	path := filepath.Join(t.TempDir(), "dependent.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := trainOn(t, path, func(c *train.Config) { c.Target, c.Ess, c.Mu = "yes", at(0.95), at(0) })
	if m.Result.Certified {
		t.Error("the training states a certificate")
	}
	file := bytes.Replace(m.file, []byte(`"certified": false`), []byte(`"certified": true`), 1)
	refuses(t, "dependent", "train with mu > 0")(check(t, file, path, m.columns(t, file)))
}

// A proof that was not bound to a model file is refused for that, and not for a change.
func TestCheck_RefusesAProofOfNoModel(t *testing.T) {
	path := writeTable(t, 60)
	m := trainOn(t, path, func(c *train.Config) { c.Target, c.Ess = "yes", level.At(0.8) })
	model, err := verify.ReadModel(m.file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := data.Open(t.Context(), path, model.Reading())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := verify.Check(t.Context(), model, f, m.proof)
	if err != nil || r.Proved() || !strings.Contains(r.Refused, "not bound to a model file") {
		t.Errorf("%+v, %v", r, err)
	}
}

// Each change is refused for a reason of its own, where its digests are made to agree again as well.
func TestCheck_RefusesChanges(t *testing.T) {
	table := writeTable(t, 80)
	for _, set := range []struct {
		name     string
		set      func(c *train.Config)
		old, new string // the level of the set in the model file, and another one
	}{
		{"ball", func(c *train.Config) { c.Ess = at(0.9) }, `"ess": 0.9`, `"ess": 0.8`},
		{"χ² ball", func(c *train.Config) { c.Radius, c.Penalty = at(0.1), "chi2" }, `"radius": 0.1`, `"radius": 0.2`},
		{"penalty", func(c *train.Config) { c.Nu = at(0.5) }, `"nu": 0.5`, `"nu": 0.4`},
		{"χ² penalty", func(c *train.Config) { c.Nu, c.Penalty = at(0.5), "chi2" }, `"nu": 0.5`, `"nu": 0.4`},
		{"cvar", func(c *train.Config) { c.Protect = at(0.8) }, `"protect": 0.8`, `"protect": 0.7`},
		{"total variation", func(c *train.Config) { c.Radius, c.Penalty = at(0.05), "tv" }, `"radius": 0.05`,
			`"radius": 0.04`},
		{"extremile", func(c *train.Config) { c.Spectral = "extremile:1.2" }, "extremile:1.2", "extremile:1.1"},
		{"exponential", func(c *train.Config) { c.Spectral = "esrm:1" }, "esrm:1", "esrm:0.5"},
		{"wasserstein", func(c *train.Config) { c.Wasserstein = at(0.05) }, `"wasserstein": 0.05`, `"wasserstein": 0.04`},
		{"groups", func(c *train.Config) { c.Nu, c.Adversary = at(0.2), "groups" }, `"nu": 0.2`, `"nu": 0.1`},
		{"given", func(c *train.Config) { c.Average = "plain" }, `"average": "plain"`, `"average": "balanced"`},
		{"no regulariser", func(c *train.Config) { c.Ess, c.Mu = at(0.95), at(0) }, `"ess": 0.95`, `"ess": 0.9`},
	} {
		t.Run(set.name, func(t *testing.T) {
			m := trainOn(t, table, func(c *train.Config) {
				c.Target = "yes"
				set.set(c)
			})
			numbers := map[string]struct {
				change func(p *verify.Proof)
				want   string
			}{
				"one weight doubled":   {func(p *verify.Proof) { p.Weight[largest(p.Weight)] *= 2 }, ""},
				"weights of one row":   {func(p *verify.Proof) { clear(p.Weight); p.Weight[3] = 1 }, ""},
				"no weight":            {func(p *verify.Proof) { clear(p.Weight) }, "all weights are 0"},
				"slopes of all rows 0": {func(p *verify.Proof) { clear(p.Slope) }, ""},
				"slopes with the other sign": {func(p *verify.Proof) {
					for j := range p.Slope {
						p.Slope[j] = -p.Slope[j]
					}
				}, ""},
				"slopes halved": {func(p *verify.Proof) {
					for j := range p.Slope {
						p.Slope[j] /= 2
					}
				}, "relative gap"},
				"a row left out": {func(p *verify.Proof) {
					p.Rows, p.Weight, p.Slope = p.Rows[1:], p.Weight[1:], p.Slope[1:]
				}, "training rows of the model"},
				"another row": {func(p *verify.Proof) { p.Rows[len(p.Rows)-1]++ }, "training rows of the model"},
			}
			for name, c := range numbers {
				changed := *m
				changed.proof = &verify.Proof{Rows: slices.Clone(m.proof.Rows), Weight: slices.Clone(m.proof.Weight),
					Slope: slices.Clone(m.proof.Slope)}
				c.change(changed.proof)
				refuses(t, name, c.want)(check(t, m.file, table, changed.columns(t, m.file)))
				columns := m.columns(t, m.file)
				honest := changed.columns(t, m.file)
				for i := range 3 { // the numbers alone
					columns[i] = honest[i]
				}
				for i := range columns[3:] {
					columns[3+i].Code = columns[3+i].Code[:columns[0].Len()]
				}
				refuses(t, name+", digest kept", "the proof was changed")(check(t, m.file, table, columns))
			}
			replaced := func(old, new string) []byte {
				changed := bytes.Replace(m.file, []byte(old), []byte(new), 1)
				if bytes.Equal(changed, m.file) {
					t.Fatalf("the model does not have %q", old)
				}
				return changed
			}
			x := fmt.Sprintf("\"coefficients\": [\n  %v", m.Coefficients[0])
			for name, c := range map[string]struct {
				file []byte
				want string
			}{
				"another coefficient": {replaced(x, fmt.Sprintf("\"coefficients\": [\n  %v", m.Coefficients[0]+0.01)),
					"upper bound"},
				"another level":     {replaced(set.old, set.new), ""},
				"another mu":        {replaced(fmt.Sprintf(`"mu": %v`, *m.Config.Mu), `"mu": 0.5`), ""},
				"another loss":      {replaced(`"loss": "logistic"`, `"loss": "exponential"`), `loss "exponential"`},
				"an unknown option": {replaced(`"mu":`, `"wasserstein_norm": 2, "mu":`), "wasserstein_norm"},
				"no certificate":    {replaced(`"certified": true`, `"certified": false`), "not certified"},
				"a smaller gap":     {replaced(`"gap": 0.000001`, `"gap": 1e-300`), "relative gap"},
			} {
				refuses(t, name, c.want)(check(t, c.file, table, m.columns(t, c.file)))
				refuses(t, name+", digest kept", "another model")(check(t, c.file, table, m.columns(t, m.file)))
			}
			text, err := os.ReadFile(table)
			if err != nil {
				t.Fatal(err)
			}
			other := filepath.Join(t.TempDir(), "other.csv")
			if err := os.WriteFile(other, bytes.Replace(text, []byte("yes"), []byte("no"), 2), 0o600); err != nil {
				t.Fatal(err)
			}
			refuses(t, "another table", "not the one the model was trained on")(check(t, m.file, other, m.columns(t, m.file)))
		})
	}
}

func largest(v []float64) (at int) {
	for j := range v {
		if v[j] > v[at] {
			at = j
		}
	}
	return at
}

// refuses returns a function that fails the test unless a check refused, for a reason that contains the text.
func refuses(t *testing.T, name, want string) func(r *verify.Report, err error) {
	return func(r *verify.Report, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if r.Proved() || !strings.Contains(r.Refused, want) {
			t.Errorf("%s: refused %q, without %q", name, r.Refused, want)
		}
	}
}

func TestReadProof_OtherTables(t *testing.T) {
	m := trainOn(t, writeTable(t, 60), func(c *train.Config) { c.Target, c.Nu = "yes", at(1) })
	for name, change := range map[string]func(c []data.Column){
		"a weight below 0":     func(c []data.Column) { c[1].Number[2] = -1 },
		"a weight of infinity": func(c []data.Column) { c[1].Number[2] = math.Inf(1) },
		"rows that descend":    func(c []data.Column) { c[0].Number[2] = 1 },
		"no slopes":            func(c []data.Column) { c[2].Name = "other" },
		"two models": func(c []data.Column) {
			c[3].Level, c[3].Code = []string{"a", "b"}, slices.Clone(c[3].Code)
			c[3].Code[1] = 1
		},
	} {
		columns := m.columns(t, m.file)
		change(columns)
		if r, err := check(t, m.file, m.path, columns); err == nil {
			t.Errorf("%s: no error, %+v", name, r)
		}
	}
}

// A cancelled check is an error and not a refusal.
func TestCheck_Cancelled(t *testing.T) {
	m := trainOn(t, writeTable(t, 60), func(c *train.Config) { c.Target, c.Nu = "yes", at(1) })
	checked, err := verify.ReadModel(m.file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := data.Open(t.Context(), m.path, checked.Reading())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := verify.Check(ctx, checked, f, m.proof); err == nil && r.Refused == "" {
		t.Error("proved although it was cancelled")
	}
}

// The check shares no code with what it checks, not even through other packages.
func TestVerify_ImportsNoSolver(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		of, own := strings.CutPrefix(dep, "github.com/drotrain/drotrain/")
		for _, solver := range []string{"dro", "losses", "train", "internal/exact", "dro/divergence"} {
			if own && (of == solver || strings.HasPrefix(of, solver+"/")) {
				t.Errorf("verify depends on %s", of)
			}
		}
	}
	if !strings.Contains(string(out), "drotrain/data") {
		t.Error("the list of packages is not the one of verify")
	}
}

// The training rows are found again however they were chosen.
func TestCheck_FindsTheTrainingRows(t *testing.T) {
	table, held := writeTable(t, 120), writeTable(t, 40)
	even := &train.RowSet{}
	for j := 0; j < 120; j += 2 {
		even.Train = append(even.Train, j)
	}
	for name, set := range map[string]func(c *train.Config){
		"chosen by a program":  func(c *train.Config) { c.Rows = even },
		"filtered":             func(c *train.Config) { c.Filter = "a < 1" },
		"of whole units":       func(c *train.Config) { c.GroupHoldout = "class" },
		"before others":        func(c *train.Config) { c.Time = "count" },
		"another table is out": func(c *train.Config) { c.HoldoutData = held },
		"rows with nulls out":  func(c *train.Config) { c.Impute = "drop" },
		"another seed":         func(c *train.Config) { c.Seed = 7 },
	} {
		t.Run(name, func(t *testing.T) {
			m := trainOn(t, table, func(c *train.Config) {
				c.Target, c.Ess = "yes", at(0.9)
				set(c)
			})
			r, err := check(t, m.file, m.path, m.columns(t, m.file))
			if err != nil {
				t.Fatal(err)
			}
			if !r.Proved() {
				t.Errorf("refused: %s", r.Refused)
			}
		})
	}
}
