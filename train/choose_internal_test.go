package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// noisy returns a table of few rows and many columns, on which ERM is better with a larger μ.
func noisy(t *testing.T) *data.Frame {
	t.Helper()
	const n, d = 150, 25
	rng := rand.New(rand.NewPCG(6, 6))
	y := data.Column{Name: "y", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	columns := []data.Column{}
	for k := range d {
		c := data.Column{Name: fmt.Sprint("x", k), Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
		for i := range n {
			c.Number[i] = rng.NormFloat64()
			y.Number[i] += 0.1 * c.Number[i]
		}
		columns = append(columns, c)
	}
	for i := range n {
		y.Number[i] += 3 * rng.NormFloat64()
	}
	f := newFrame(t, append([]data.Column{y}, columns...)...)
	return f
}

// The choice uses every setting of Choice.
func TestChoose_Criterion(t *testing.T) {
	budget := 0.07
	cfg := keepingRows()
	cfg.Target, cfg.Holdout, cfg.Choice = "y", 0, Choice{Select: "average", Folds: 4, Rate: 1.5, Budget: &budget}
	s, _, err := Choose(t.Context(), noisy(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if s.Criterion != "average" || s.Folds != 4 || len(s.Candidates) < 6 || s.Rate != 1.5 || s.Budget == nil ||
		*s.Budget != budget {
		t.Errorf("%+v", s)
	}
}

// Fit trains the candidate that Choose chooses. μ is chosen with the level unless it is set, and a note states it if
// it is not the default.
func TestChoose_AgreesWithFit(t *testing.T) {
	f := noisy(t)
	cfg := keepingRows()
	cfg.Target, cfg.Holdout, cfg.Folds = "y", 0, 3
	s, _, err := Choose(t.Context(), f, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m := fitFrame(t, f, cfg)
	took := m.Result.Selection
	if took == nil || s == nil || took.Reason != s.Reason || took.Best().Level.String() != s.Best().Level.String() ||
		took.Best().Mu != s.Best().Mu || took.Candidates[0].Average != s.Candidates[0].Average {
		t.Fatalf("chosen %+v, taken %+v", s, took)
	}
	usual := 1 / float64(m.TrainRows)
	said := func(m *Model) bool {
		return strings.Contains(strings.Join(m.Notes, "\n"), " was chosen by the ")
	}
	chosen := s.Best().Mu
	if chosen == usual || *m.Config.Mu != chosen || !said(m) {
		t.Errorf("μ = %v chosen, %v taken, %v usual; said: %v", chosen, *m.Config.Mu, usual, said(m))
	}
	// The plain average of the model is that of the μ chosen.
	cfg.Mu, cfg.Average = &m.Result.ERM.Mu, "plain"
	plain := fitFrame(t, f, cfg)
	if !(math.Abs(plain.Result.Objective/m.Result.ERM.Objective-1) <= 1e-5) {
		t.Errorf("the plain average: %v, with that μ alone %v", m.Result.ERM.Objective, plain.Result.Objective)
	}
	cfg.Mu, cfg.Average = &usual, ""
	if m, err = FitFrame(t.Context(), f, cfg); err != nil {
		t.Fatal(err)
	}
	if m.Result.Selection.Best().Mu != usual || *m.Config.Mu != usual || said(m) {
		t.Errorf("μ = %v given, %v taken", usual, *m.Config.Mu)
	}
	cfg.Target = "none"
	if s, _, err := Choose(t.Context(), f, cfg); err == nil || s != nil {
		t.Errorf("a choice without a target: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cfg.Target = "y"
	if _, _, err := Choose(ctx, f, cfg); err == nil {
		t.Error("a choice of a cancelled context")
	}
}

// The training rows do not depend on their storage, however the hold-out is set.
func TestChoose_RowsInAnyStorage(t *testing.T) {
	f := wide(t, 500)
	arena, err := memory.NewArena(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	arena.MinSize = 1
	defer arena.Close()
	plain := keepingRows()
	plain.Target, plain.Seed, plain.Holdout = "y", 4, 0.2
	for name, change := range map[string]func(c *Config){
		"at random":   func(*Config) {},
		"nothing out": func(c *Config) { c.Holdout = 0 },
		"a filter":    func(c *Config) { c.Filter = "a > 0" },
		"named rows":  func(c *Config) { c.Rows = &RowSet{Train: []int{5, 7, 400}, Holdout: []int{1}} },
		"units":       func(c *Config) { c.GroupHoldout = "g" },
		"the last":    func(c *Config) { c.Time = "b" },
	} {
		c := plain
		change(&c)
		train, held, err := c.splitRows(t.Context(), f, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, heldAgain, err := c.splitRows(t.Context(), f, arena)
		if err != nil || !slices.Equal(slices.Sorted(slices.Values(train)), slices.Sorted(slices.Values(again))) ||
			!slices.Equal(held, heldAgain) {
			t.Errorf("%s: %d and %d rows in memory, %d and %d elsewhere: %v", name, len(train), len(held), len(again),
				len(heldAgain), err)
		}
		if slices.IsSorted(train) && len(train) > 3 {
			t.Errorf("%s: rows are not in random order", name)
		}
	}
	c := plain
	c.Rows = &RowSet{Train: []int{1, 1}}
	if _, _, err := c.splitRows(t.Context(), f, nil); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a row named twice: %v", err)
	}
}

// Means use the sample weights, and an adversary without a penalty has no unique weights.
func TestRun_MeansAndUniqueWeights(t *testing.T) {
	r := &Run{Weight: []float64{1, 3, 4}}
	if got := r.weightedAverage([]float64{8, 4, 1}); got != 3 {
		t.Errorf("%v", got)
	}
	if got := (&Run{}).weightedAverage([]float64{8, 4, 3}); got != 5 {
		t.Errorf("%v", got)
	}
	for want, of := range map[bool][]level.Level{
		false: {{Protect: level.At(0.2)}, {Nu: level.At(0)}, {Protect: level.At(0.2), Nu: level.At(1)},
			{Spectral: "extremile:2"}, {Penalty: dro.TotalVariation, Radius: level.At(0.1)}},
		true: {{Nu: level.At(1e-9)}, {Ess: level.At(0.5)}, {}},
	} {
		for _, l := range of {
			if got := (Config{Level: l}).hasUniqueWeights(); got != want {
				t.Errorf("%+v: %v", l, got)
			}
		}
	}
}

// The seed determines the folds of a choice, even if the training rows are the same.
func TestChoose_FoldsDependOnSeed(t *testing.T) {
	cfg := keepingRows()
	cfg.Target, cfg.Holdout, cfg.Choice = "y", 0, Choice{Select: "average", Folds: 2}
	var out [3]float64
	for i, seed := range []uint64{1, 2, 1} {
		cfg.Seed = seed
		s, _, err := Choose(t.Context(), noisy(t), cfg)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = s.Candidates[0].Average
	}
	if out[0] == out[1] || out[0] != out[2] {
		t.Errorf("out of fold, by seeds 1, 2 and 1: %v", out)
	}
}

// Choose bounds the optima at every ν for any number of rows and columns; Fit does so only for small tables.
func TestChoose_PathsOnlyOnRequest(t *testing.T) {
	const n, levels = 1000, 410
	y := data.Column{Name: "y", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	g := data.Column{Name: "g", Kind: data.Categorical, Code: make([]int32, n)}
	for i := range n {
		y.Number[i], g.Code[i] = math.Sin(float64(i*i)), int32(i%levels)
	}
	for k := range levels {
		g.Level = append(g.Level, fmt.Sprint("l", k))
	}
	f := newFrame(t, y, g)
	cfg := keepingRows()
	cfg.Target, cfg.Holdout, cfg.Gap, cfg.Choice = "y", 0, 1e-2, Choice{Select: "average", Folds: 2}
	s, _, err := Choose(t.Context(), f, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m := fitFrame(t, f, cfg)
	if asked, trained := len(s.Paths), len(m.Result.Selection.Paths); asked == 0 || trained > 0 {
		t.Errorf("%d × %d: %d paths for who asks, %d of a training", m.TrainRows, m.Encoder.D(), asked, trained)
	}
}

// Without groups the criterion is the tail.
func TestChoose_RanksByTail(t *testing.T) {
	cfg := keepingRows()
	cfg.Target, cfg.Drop, cfg.Folds = "y", []string{"g"}, 2
	for r, m := range ranked(t, 2, wide(t, 400), cfg) {
		if s := m.Result.Selection; s.Criterion != "tail" {
			t.Errorf("rank %d chose by %v", r, s.Criterion)
		}
	}
}

// embeddings returns rows with numeric features, a target "y" of two equally frequent classes, an amount "z" and
// groups "g".
func embeddings(t *testing.T, width int) *data.Frame {
	t.Helper()
	const n = 300
	rng := rand.New(rand.NewPCG(8, 8))
	y := data.Column{Name: "y", Kind: data.Categorical, Type: "string", Level: []string{"no", "yes"},
		Code: make([]int32, n)}
	z := data.Column{Name: "z", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	g := data.Column{Name: "g", Kind: data.Categorical, Type: "string", Level: []string{"a", "b", "c"},
		Code: make([]int32, n)}
	var columns []data.Column
	for k := range width {
		columns = append(columns, data.Column{Name: fmt.Sprint("x", k), Kind: data.Numeric, Type: "double",
			Number: make([]float64, n)})
	}
	for i := range n {
		y.Code[i], g.Code[i] = int32(rng.IntN(2)), int32(min(2, rng.IntN(4)))
		agrees := float64(2*y.Code[i]) - 1
		if g.Code[i] == 0 {
			agrees = -agrees
		}
		for k := range columns {
			columns[k].Number[i] = rng.NormFloat64()
			if k%2 == 0 {
				columns[k].Number[i] += 0.1 * agrees
			}
		}
		columns[1].Number[i] += 3 * float64(y.Code[i])
		z.Number[i] = agrees + rng.NormFloat64()
	}
	return newFrame(t, append(columns, y, z, g)...)
}

// For classes and many numeric features, the criterion is the accuracy of the worst group, if the group is not a
// feature and no other criterion is requested.
func TestChoose_CriterionOfEmbeddings(t *testing.T) {
	const accuracy = "so the model was chosen by the worst group’s error rate"
	for name, c := range map[string]struct {
		width int
		set   func(*Config)
		want  string
	}{
		"embeddings":       {50, func(*Config) {}, "worst-group-accuracy"},
		"fewer numbers":    {49, func(*Config) {}, "trade-off"},
		"a group as input": {50, func(c *Config) { c.GroupFeatures = true }, "trade-off"},
		"another asked":    {50, func(c *Config) { c.Select = "worst-group" }, "worst-group"},
		"a rate":           {50, func(c *Config) { c.Rate = 3 }, "trade-off"},
		"an amount":        {50, func(c *Config) { c.Target, c.Drop = "z", []string{"y"} }, "trade-off"},
		"no groups":        {50, func(c *Config) { c.Groups, c.Drop = nil, []string{"z", "g"} }, "tail"},
	} {
		cfg := keepingRows()
		cfg.Target, cfg.Drop, cfg.Groups, cfg.GroupFeatures, cfg.Holdout = "y", []string{"z"}, []string{"g"}, false, 0
		c.set(&cfg)
		s, notes, err := Choose(t.Context(), embeddings(t, c.width), cfg)
		if err != nil {
			t.Fatal(name, err)
		}
		if byDefault := name == "embeddings"; s.Criterion != c.want || s.ByDefault != byDefault ||
			strings.Contains(strings.Join(notes, "\n"), accuracy) != byDefault {
			t.Errorf("%s: criterion %s, by default %v, notes %q", name, s.Criterion, s.ByDefault, notes)
		}
	}
}

// After a choice by accuracy, rescaling the probabilities lowers their out-of-fold log loss and keeps the predicted
// classes, for two classes and for more; models of folds are rescaled likewise.
func TestFit_RescalesProbabilitiesAfterAChoiceByAccuracy(t *testing.T) {
	three := filepath.Join(t.TempDir(), "three.csv")
	put(t, three, threeSpuriousClasses())
	for name, of := range map[string][3]string{
		"two classes": {"builtin:digits", "size", "agrees"}, "three classes": {three, "y", "agrees"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := keepingRows()
			cfg.Data, cfg.Target, cfg.Groups, cfg.GroupFeatures, cfg.Holdout = of[0], of[1], []string{of[2]}, false, 0
			m := fit(t, cfg)
			r := m.Result.Recalibration
			if m.Result.Selection.Chosen == 0 || r == nil || !r.KeepsClasses || r.Intercept != 0 || !(r.After < r.Before) {
				t.Fatalf("chosen %+v, recalibration %+v", m.Result.Selection.Best(), r)
			}
			for i, v := range m.Coefficients {
				if !(math.Abs(m.Recalibrated[i]-r.Slope*v) <= 1e-12*math.Abs(v)) || !(r.Slope > 0) {
					t.Fatalf("coefficient %d: %v, recalibrated %v", i, v, m.Recalibrated[i])
				}
			}
			for _, slope := range []float64{0.98, 1.02} { // it is the minimum
				margin, err := m.tuneTable(m.Run.Train).Margins(t.Context(), m.Config.Level, r.Folds, m.Config.Seed,
					m.Coefficients, nil)
				if err != nil {
					t.Fatal(err)
				}
				for j := range margin {
					margin[j] *= slope * r.Slope
				}
				if risk := m.riskAtMargins(marginRows{margin: margin, target: m.Run.Train.Target,
					weight: m.Run.Weight}); !(risk > r.After) {
					t.Errorf("%v times the slope: log loss %v, not above %v", slope, risk, r.After)
				}
			}
			if !strings.Contains(strings.Join(m.Notes, "\n"), "The predicted classes stay the same") {
				t.Errorf("notes %q", m.Notes)
			}
			again := reloaded(t, m)
			if c := again.configOfFold(); !c.keepsClasses || !c.Recalibrate {
				t.Errorf("the models of the folds are not rescaled likewise: %+v", c)
			}
			cfg.Select = "worst-group"
			if r := fit(t, cfg).Result.Recalibration; r != nil {
				t.Errorf("by risk: %+v", r)
			}
		})
	}
}

// --recalibrate fits an intercept too, and only for two classes.
func TestFit_RecalibratesWithAnIntercept(t *testing.T) {
	cfg := keepingRows()
	cfg.Data, cfg.Target, cfg.Groups, cfg.GroupFeatures, cfg.Holdout, cfg.Recalibrate =
		"builtin:digits", "size", []string{"agrees"}, false, 0, true
	if r := fit(t, cfg).Result.Recalibration; r == nil || r.KeepsClasses || r.Intercept == 0 {
		t.Errorf("%+v", r)
	}
	three := filepath.Join(t.TempDir(), "three.csv")
	put(t, three, threeSpuriousClasses())
	cfg.Data, cfg.Target = three, "y"
	if _, err := Fit(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "two classes") {
		t.Errorf("three classes: %v", err)
	}
}

// threeSpuriousClasses returns a table of 50 numbers and three classes as CSV. A background, which the second half of
// the numbers shows more clearly than the first half shows the class, agrees with the class in nine of ten rows.
func threeSpuriousClasses() string {
	rng := rand.New(rand.NewPCG(5, 0x7468))
	var b strings.Builder
	for i := range tune.WideColumns {
		fmt.Fprintf(&b, "x%d,", i)
	}
	b.WriteString("y,agrees\n")
	for range 900 {
		class := rng.IntN(3)
		background := class
		if rng.IntN(10) == 0 {
			background = (class + 1) % 3
		}
		for i := range tune.WideColumns {
			v := rng.NormFloat64()
			if i%3 == class && i < tune.WideColumns/2 {
				v += 0.6
			}
			if i%3 == background && i >= tune.WideColumns/2 {
				v += 1.2
			}
			fmt.Fprintf(&b, "%.4f,", v)
		}
		fmt.Fprintf(&b, "%c,%t\n", 'a'+rune(class), background == class)
	}
	return b.String()
}

// A warning is added if many resamples would lead to another choice, and none if few would.
func TestChoose_WarnsOfUnstableChoice(t *testing.T) {
	seen := map[bool]bool{}
	for _, strength := range []float64{0, 0.05, 0.1, 0.15, 0.2, 2} {
		const n = 400
		rng := rand.New(rand.NewPCG(9, 9))
		x := data.Column{Name: "x", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
		y := data.Column{Name: "y", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
		g := data.Column{Name: "g", Kind: data.Categorical, Type: "string", Level: []string{"a", "b"}, Code: make([]int32, n)}
		for i := range n {
			x.Number[i] = rng.NormFloat64()
			y.Number[i] = x.Number[i] + rng.NormFloat64()
			if i%8 == 0 {
				g.Code[i] = 1
				y.Number[i] -= strength * (5 + 5*x.Number[i])
			}
		}
		cfg := keepingRows()
		cfg.Target, cfg.Groups, cfg.GroupFeatures, cfg.Holdout, cfg.Select = "y", []string{"g"}, false, 0, "worst-group"
		s, notes, err := Choose(t.Context(), newFrame(t, x, y, g), cfg)
		if err != nil {
			t.Fatal(err)
		}
		unstable := s.Unstable > 1.0/3
		if warned := strings.Contains(strings.Join(notes, "\n"), "the choice is uncertain: "); warned != unstable {
			t.Errorf("strength %v: %v of the resamples choose otherwise, notes %q", strength, s.Unstable, notes)
		}
		if replaced := s.Replaced; strength == 0 && replaced > 0.2 || strength == 2 && replaced < 1 {
			t.Errorf("strength %v: ERM is replaced in %v of the resamples", strength, replaced)
		}
		t.Logf("strength %v: unstable %v", strength, s.Unstable)
		seen[unstable] = true
	}
	if !seen[true] || !seen[false] {
		t.Errorf("choices that are unstable: %v", seen)
	}
}
