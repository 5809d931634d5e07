package methods

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// smallProblem is a well conditioned robust problem of 60 rows.
func smallProblem(t *testing.T, penalty string, nu float64) *dro.Problem {
	t.Helper()
	const n, d = 60, 3
	rng := rand.New(rand.NewPCG(5, 2))
	rows, target := make([]float64, n*d), make([]float64, n)
	for j := range target {
		margin := rng.NormFloat64()
		for i := range d {
			rows[j*d+i] = rng.NormFloat64() * math.Pow(float64(j+1), -0.2) / math.Sqrt(d)
			margin += rows[j*d+i] * float64(i-1)
		}
		target[j] = math.Copysign(1, margin)
	}
	z, err := design.NewDense(n, d, rows)
	if err != nil {
		t.Fatal(err)
	}
	o, err := losses.NewLinear(losses.Logistic{}, z, target)
	if err != nil {
		t.Fatal(err)
	}
	dual, err := level.Level{Penalty: dro.Divergence(penalty), Nu: &nu}.Dual(level.Rows{})
	if err != nil {
		t.Fatal(err)
	}
	return &dro.Problem{Oracle: o, Dual: dual, Primal: dro.L2{Mu: 0.05}}
}

// Every method of the paper and both baselines with second order reach 1e-9, the
// subgradient method 1e-3, all within the bounds of one another.
func TestCompare_GapsLieWithinTheBounds(t *testing.T) {
	for _, penalty := range []string{"kl", "chi2"} {
		r, err := Compare(context.Background(), smallProblem(t, penalty, 0.5), ProblemInfo{N: 60, D: 3, Penalty: penalty},
			Options{Gap: 1e-9, MaxPasses: 400})
		if err != nil {
			t.Fatal(err)
		}
		upper, lower := math.Inf(1), math.Inf(-1)
		for _, m := range r.Methods {
			last := m.Trace[len(m.Trace)-1]
			upper, lower = min(upper, *last.Upper), max(lower, *last.Lower)
			reached := 0
			for _, c := range m.Reached {
				if c.Passes != nil {
					reached++
				}
			}
			want := len(Targets)
			if m.Name == "subgradient" {
				want = 1
			}
			if reached < want {
				t.Errorf("%s, %s: %d of %d gaps reached: %s after %.0f passes, gap %s", penalty, m.Name, reached, want, m.Status,
					m.Passes, formatOptional(m.Gap, "%.2g"))
			}
			for i := 1; i < len(m.Trace); i++ {
				if m.Trace[i].Passes < m.Trace[i-1].Passes || *m.Trace[i].Upper > *m.Trace[i-1].Upper {
					t.Errorf("%s, %s: check %d goes back", penalty, m.Name, i)
				}
			}
		}
		if upper < lower-1e-12 {
			t.Errorf("%s: an upper bound %v below a lower bound %v", penalty, upper, lower)
		}
		drawn(t, r.Figures(), 2)
	}
}

func TestCompare_ReportsWhatDoesNotApply(t *testing.T) {
	r, err := Compare(context.Background(), smallProblem(t, "kl", 0), ProblemInfo{}, Options{Gap: 1e-9, MaxPasses: 100})
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]bool{}
	for _, m := range r.Methods {
		if m.Status == "not solved" {
			refused[m.Name] = m.Note != ""
		}
		if m.Name == "newton" && m.Reached[0].Passes == nil {
			t.Errorf("newton: gap %s", formatOptional(m.Gap, "%.2g"))
		}
	}
	for _, name := range []string{"lbfgs", "subgradient"} {
		if !refused[name] {
			t.Errorf("%s solved a problem with ν = 0, or did not say why not", name)
		}
	}
	var b bytes.Buffer
	r.WriteText(&b)
	if !strings.Contains(b.String(), "does not apply") {
		t.Error("the table does not say what does not apply")
	}
	if _, err := json.Marshal(r); err != nil { // no infinities
		t.Error(err)
	}
}

func TestCompare_EndsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compare(ctx, smallProblem(t, "kl", 1), ProblemInfo{}, Options{Gap: 1e-9, MaxPasses: 20}); err == nil {
		t.Error("a cancelled comparison has no error")
	}
}

func TestNewProblem_TrainingProblem(t *testing.T) {
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Holdout, cfg.Nu = "builtin:hmda", "deny", 0, level.At(1)
	frame, err := train.Open(context.Background(), cfg.Data)
	if err != nil {
		t.Fatal(err)
	}
	p, info, err := NewProblem(t.Context(), frame, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m, err := train.FitFrame(context.Background(), frame, cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, err := dro.Solve(context.Background(), p, &dro.Options{Method: dro.LBFGS{}})
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Summary(""); !(math.Abs(res.Objective/s.Objective-1) <= 1e-5) || info.N != s.N || info.Loss != "logistic" {
		t.Errorf("objective %v of %+v, training has %v of %d rows", res.Objective, info, s.Objective, s.N)
	}
	cfg.Target = "nothing"
	if _, _, err := NewProblem(t.Context(), frame, cfg); err == nil {
		t.Error("a target that does not exist is accepted")
	}
}

// drawn renders figures and expects that many.
func drawn(t *testing.T, figures []Figure, want int) {
	t.Helper()
	if len(figures) != want {
		t.Fatalf("%d figures, want %d", len(figures), want)
	}
	for _, f := range figures {
		svg, err := f.Drawing().SVG()
		if err != nil || !bytes.HasSuffix(bytes.TrimSpace(svg), []byte("</svg>")) {
			t.Errorf("%s: %v", f.Name, err)
		}
		for _, name := range f.Legend {
			if !bytes.Contains(svg, []byte(name.Name)) {
				t.Errorf("%s: no %q in the legend", f.Name, name.Name)
			}
		}
		if png, err := f.Drawing().PNG(); err != nil || !bytes.HasPrefix(png, []byte("\x89PNG")) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
