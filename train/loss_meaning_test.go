package train

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/score"
)

// drawCount draws from a Poisson distribution.
func drawCount(rng *rand.Rand, mean float64) float64 {
	k, p, limit := 0.0, 1.0, math.Exp(-mean)
	for p *= rng.Float64(); p > limit; p *= rng.Float64() {
		k++
	}
	return k
}

// counts returns a table of n counts y with mean exp(0.5 + 0.5·x − 0.3·[g = b]).
func counts(t *testing.T, n int) *data.Frame {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	x, y, g := make([]float64, n), make([]float64, n), make([]int32, n)
	for i := range n {
		x[i], g[i] = rng.NormFloat64(), int32(rng.IntN(2))
		y[i] = drawCount(rng, math.Exp(0.5+0.5*x[i]-0.3*float64(g[i])))
	}
	f, err := data.NewFrame(
		data.Column{Name: "x", Kind: data.Numeric, Type: "float64", Number: x},
		data.Column{Name: "g", Kind: data.Categorical, Type: "string", Code: g, Level: []string{"a", "b"}},
		data.Column{Name: "y", Kind: data.Numeric, Type: "float64", Number: y},
	)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ownPoisson is losses.Poisson as a program would write it, under another name.
type ownPoisson struct{ losses.Poisson }

func (ownPoisson) Name() string { return "own-poisson" }

// A Poisson model predicts exp(z·x) by every function that predicts, and totals agree. The targets are not
// standardised, and the loss has the unit of a deviance.
func TestFit_PoissonPredictsCounts(t *testing.T) {
	if err := losses.Register(ownPoisson{}); err != nil {
		t.Fatal(err)
	}
	frame := counts(t, 3000)
	var first []float64
	for _, loss := range []string{"poisson", "own-poisson"} {
		cfg := DefaultConfig()
		cfg.Target, cfg.Loss, cfg.Holdout, cfg.Mu = "y", loss, 0, level.At(1e-6)
		cfg.Average = "plain"
		m := fitFrame(t, frame, cfg)
		if !m.Result.Certified || m.Config.ScaleTarget || m.Encoder.Target.Shift != 0 || m.Encoder.Target.Scale != 1 ||
			m.Link != "log" {
			t.Errorf("%s: %s, scale %v, target %+v, link %q", loss, m.Result.Status, m.Config.ScaleTarget, m.Encoder.Target,
				m.Link)
		}
		p := predict(t, m, frame)
		y, err := frame.Column(t.Context(), "y")
		if err != nil {
			t.Fatal(err)
		}
		actual, predicted := 0.0, 0.0
		for i, v := range p.Score {
			actual, predicted = actual+y.Number[i], predicted+v
			if !(math.Abs(v-math.Exp(p.Margin[i])) <= 1e-12*v) {
				t.Fatalf("%s: row %d: %v at margin %v", loss, i, v, p.Margin[i])
			}
		}
		if !(math.Abs(predicted-actual) <= 1e-3*actual) { // the intercept is not penalised
			t.Errorf("%s: %v predicted, %v counted", loss, predicted, actual)
		}
		// At the means of exp(0.5 + 0.5x), within the sampling error of 3000 counts.
		if !(math.Abs(coefficientOf(t, m, "x")-0.5) <= 0.05) {
			t.Errorf("%s: the coefficient of x is %v", loss, coefficientOf(t, m, "x"))
		}
		if c := *m.Result.Constant; !(math.Abs(c-math.Log(actual/3000)) <= 1e-6) {
			t.Errorf("%s: the constant margin is %v, not %v", loss, c, math.Log(actual/3000))
		}
		checkScorer(t, m, frame, p.Score)
		if first == nil {
			first = p.Score
		}
		for i := range first {
			if !(math.Abs(first[i]-p.Score[i]) <= 1e-6*first[i]) {
				t.Fatalf("%s: row %d: %v and %v", loss, i, first[i], p.Score[i])
			}
		}
	}
}

// coefficientOf returns the coefficient of a column in the units of the table.
func coefficientOf(t *testing.T, m *Model, name string) float64 {
	t.Helper()
	original := m.Original(m.Coefficients)
	for i, c := range m.Encoder.Columns {
		if c.Name == name {
			return original[i]
		}
	}
	t.Fatalf("no column %s", name)
	return 0
}

// Robust Poisson models are not constant. Without the terms of the loss that do not depend on the margin, the
// adversary would prefer rate 1.
func TestFit_PoissonIsNoConstant(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Target, cfg.Loss, cfg.Holdout = "y", "poisson", 0
	cfg.Protect = level.At(0.2)
	m := fitFrame(t, counts(t, 2000), cfg)
	p := predict(t, m, counts(t, 2000))
	low, high := math.Inf(1), 0.0
	for _, v := range p.Score {
		low, high = min(low, v), max(high, v)
	}
	if !m.Result.Certified || !(high > 2*low) {
		t.Errorf("%s: rates from %v to %v", m.Result.Status, low, high)
	}
}

// Targets that the loss does not accept are errors that name the row, in training and in a table that is scored with
// its target.
func TestFit_TargetsOutsideTheLoss(t *testing.T) {
	frame := counts(t, 50)
	y, err := frame.Column(t.Context(), "y")
	if err != nil {
		t.Fatal(err)
	}
	cfg := DefaultConfig()
	cfg.Target, cfg.Loss, cfg.Holdout = "y", "poisson", 0.2
	cfg.Average = "plain"
	m := fitFrame(t, frame, cfg)
	for _, row := range []int{0, 17, 49} {
		before := y.Number[row]
		y.Number[row] = -3
		for what, err := range map[string]error{"fit": fitError(t, frame, cfg), "predict": predictError(t, m, frame)} {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row %d", row+1)) ||
				!strings.Contains(err.Error(), "the target is -3, but the loss poisson requires a count") {
				t.Errorf("%s: %v", what, err)
			}
		}
		y.Number[row] = before
	}
	cfg.TargetTransform = "log1p"
	if err := fitError(t, frame, cfg); err == nil || !strings.Contains(err.Error(),
		"but the loss poisson has the link log") {
		t.Error(err)
	}
}

func fitError(t *testing.T, f *data.Frame, cfg Config) error {
	_, err := FitFrame(t.Context(), f, cfg)
	return err
}

func predictError(t *testing.T, m *Model, f *data.Frame) error {
	_, err := m.Predict(t.Context(), f)
	return err
}

// The proportion of rows below the prediction of a quantile model is its level, also if the logarithm of the target
// is fitted.
func TestFit_QuantileCovers(t *testing.T) {
	frame := openTable(t, "builtin:cps1988")
	cfg := builtin(t, "cps1988")
	cfg.Features = []string{"education", "experience"}
	cfg.Level = level.Level{Average: "plain"}
	wage, err := frame.Column(t.Context(), "wage")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tau       float64
		transform string
	}{{0.1, ""}, {0.9, ""}, {0.1, "log"}, {0.9, "log1p"}} {
		tau := c.tau
		cfg.Loss, cfg.TargetTransform = fmt.Sprintf("quantile:%v", tau), c.transform
		m := fitFrame(t, frame, cfg)
		p := predict(t, m, frame)
		below := 0.0
		for i, v := range p.Score {
			if wage.Number[i] <= v {
				below += 1 / float64(len(p.Score))
			}
		}
		if !m.Result.Certified || !(math.Abs(below-tau) <= 0.01) {
			t.Errorf("%s %s: %s: %.4f of the wages are below", cfg.Loss, c.transform, m.Result.Status, below)
		}
		checkScorer(t, m, frame, p.Score)
	}
}

// A model whose loss this program does not know predicts by its link and names the loss in errors of other functions.
func TestReadModel_UnregisteredLoss(t *testing.T) {
	frame := counts(t, 300)
	cfg := DefaultConfig()
	cfg.Target, cfg.Loss, cfg.Holdout = "y", "poisson", 0
	cfg.Average = "plain"
	m := fitFrame(t, frame, cfg)
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	foreign := strings.ReplaceAll(b.String(), `"poisson"`, `"elsewhere"`)
	read, err := ReadModel(strings.NewReader(foreign))
	if err != nil {
		t.Fatal(err)
	}
	want, got := predict(t, m, frame), predict(t, read, frame)
	for i := range want.Score {
		if want.Score[i] != got.Score[i] {
			t.Fatalf("row %d: %v, not %v", i, got.Score[i], want.Score[i])
		}
	}
	if got.Loss != nil || read.UnregisteredLoss() == nil || !strings.Contains(read.UnregisteredLoss().Error(),
		`the loss "elsewhere", which this program does not know`) {
		t.Errorf("%v, %v", got.Loss, read.UnregisteredLoss())
	}
	if err := read.Rerun(t.Context(), frame); err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Error(err)
	}
	checkScorer(t, read, frame, want.Score)
	var again bytes.Buffer
	if _, err := read.WriteTo(&again); err != nil || again.String() != foreign {
		t.Errorf("the model is not written as it was read: %v", err)
	}
	unknown := strings.Replace(foreign, `"link": "log"`, `"link": "cloglog"`, 1)
	if read, err = ReadModel(strings.NewReader(unknown)); err != nil {
		t.Fatal(err)
	}
	if err := predictError(t, read, frame); err == nil || !strings.Contains(err.Error(), `nor the link "cloglog"`) {
		t.Error(err)
	}
	if _, err := ReadModel(strings.NewReader(strings.Replace(b.String(), `"link": "log"`, `"link": "logit"`,
		1))); err == nil {
		t.Error("another link than that of the loss is accepted")
	}
}

// scaledLog is the Poisson loss with a link that is none of package losses.
type scaledLog struct{ losses.Poisson }

func (scaledLog) Name() string { return "scaled-log" }
func (scaledLog) Meaning() losses.Meaning {
	meaning := losses.Poisson{}.Meaning()
	meaning.Link = losses.Link{Name: "ten-log", Predict: func(m float64) float64 { return 10 * math.Exp(m) },
		Margin: func(p float64) float64 { return math.Log(p / 10) }}
	return meaning
}

// A model with a custom link predicts; a Formula, which cannot express the link, is an error that names it.
func TestFormula_RefusesUnknownLinks(t *testing.T) {
	if err := losses.Register(scaledLog{}); err != nil {
		t.Fatal(err)
	}
	frame := counts(t, 300)
	cfg := DefaultConfig()
	cfg.Target, cfg.Loss, cfg.Holdout = "y", "scaled-log", 0
	cfg.Average = "plain"
	m := fitFrame(t, frame, cfg)
	p := predict(t, m, frame)
	if want := 10 * math.Exp(p.Margin[3]); p.Score[3] != want {
		t.Errorf("%v, not %v", p.Score[3], want)
	}
	var s *score.Scorer
	var err error
	if s, err = m.Scorer(); err == nil || s != nil || !strings.Contains(err.Error(), `"ten-log"`) {
		t.Error(err)
	}
}
