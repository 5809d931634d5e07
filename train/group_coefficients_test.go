package train

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/train/level"
)

// drawGroups draws rows of five numbers in the groups a and b (a tenth each) and c. The design of the target is
// opposite slopes in a and b, equal slopes in all groups, or heavy noise in a.
func drawGroups(t *testing.T, design string, seed uint64, n int) *data.Frame {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	b.WriteString("x0,x1,x2,x3,x4,g,h,y\n")
	for range n {
		x := [5]float64{}
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		g, h := "c", "u"
		if u := rng.Float64(); u < 0.1 {
			g = "a"
		} else if u < 0.2 {
			g = "b"
		}
		if rng.Float64() < 0.5 {
			h = "v"
		}
		m, y := x[0]-0.5*x[1]+0.5*x[2]+0.3*x[4], ""
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		class := func(m float64) string {
			if rng.Float64() < 1/(1+math.Exp(-m)) {
				return "yes"
			}
			return "no"
		}
		switch design {
		case "opposite":
			y = number(map[string]float64{"a": 2, "b": -2}[g]*x[0] + 0.5*x[1] + 0.5*rng.NormFloat64())
		case "equal":
			y = number(m + 0.5*rng.NormFloat64())
		case "noise":
			y = number(m + map[string]float64{"a": 3, "b": 0.5, "c": 0.5}[g]*rng.NormFloat64())
		case "cross":
			if g == "a" && h == "u" {
				m -= 2 * x[0]
			}
			y = number(m + 0.5*rng.NormFloat64())
		case "many":
			g = fmt.Sprint("g", rng.IntN(20))
			y = number(m + 0.5*rng.NormFloat64())
		case "slopes":
			k := rng.IntN(10)
			g = fmt.Sprint("g", k)
			y = number(m + (float64(k)-4.5)/20*x[0] + 0.5*rng.NormFloat64())
		case "equal classes":
			y = class(m)
		case "opposite classes":
			if g == "a" {
				m -= 2 * x[0]
			}
			y = class(m)
		}
		for _, v := range x {
			b.WriteString(number(v) + ",")
		}
		b.WriteString(g + "," + h + "," + y + "\n")
	}
	f := readCSV(t, "drawn.csv", b.String())
	return f
}

// groupDraw trains ERM with shared and with chosen group coefficients on the first rows of a table, and returns their
// risks on the other rows.
func groupDraw(t *testing.T, f *data.Frame, cfg Config, train int) (shared, chosen [2]float64, design *GroupDesign) {
	t.Helper()
	// nearly the plain average
	cfg.Level, cfg.NoBaseline = level.Level{Adversary: "groups", Penalty: "kl", Nu: level.At(1e6)}, true
	rows := &RowSet{}
	for r := range f.Rows {
		if r < train {
			rows.Train = append(rows.Train, r)
		} else {
			rows.Holdout = append(rows.Holdout, r)
		}
	}
	cfg.Rows = rows
	fit := func(how string) ([2]float64, *GroupDesign) {
		cfg.GroupCoefficients = how
		m := fitFrame(t, f, cfg)
		p, err := m.PredictDataset(m.Run.Holdout, m.Coefficients)
		if err != nil {
			t.Fatal(err)
		}
		g := m.Run.Holdout.Groups[len(m.Run.Holdout.Groups)-1]
		sum, count := make([]float64, len(g.Labels)), make([]float64, len(g.Labels))
		all := 0.0
		for i, l := range p.Loss {
			sum[g.Index[i]] += l
			count[g.Index[i]]++
			all += l
		}
		worst := 0.0
		for k := range sum {
			if count[k] > 0 {
				worst = max(worst, sum[k]/count[k])
			}
		}
		return [2]float64{worst, all / float64(len(p.Loss))}, m.Result.Design
	}
	shared, _ = fit(groupCoefficientsNo)
	chosen, design = fit(groupCoefficientsAuto)
	return shared, chosen, design
}

// Pooled group coefficients are chosen if the slopes differ between groups, and not otherwise. With DROTRAIN_DRAWS
// set, more draws of more designs are measured.
func TestGroupCoefficients_TakenWhereGroupsDiffer(t *testing.T) {
	draws := 2
	if n, err := strconv.Atoi(os.Getenv("DROTRAIN_DRAWS")); err == nil {
		draws = n
	}
	for _, c := range []struct {
		design string
		groups string
		most   float64 // worst group's risk of the chosen over the shared; 1: none is to be taken
	}{
		{"opposite", "g", 0.4}, {"equal", "g", 1}, {"noise", "g", 1}, {"equal classes", "g", 1},
		{"opposite classes", "g", 0.9},
		{"cross", "g,h", 0.5}, {"many", "g", 1}, {"slopes", "g", 1},
	} {
		var sums [2][2]float64
		var squares [2]float64
		taken := 0
		for seed := range draws {
			f := drawGroups(t, c.design, uint64(seed+1), 2000+4000)
			cfg := keepingRows()
			cfg.Target, cfg.Groups, cfg.Drop = "y", strings.Split(c.groups, ","), nil
			if c.groups == "g" {
				cfg.Drop = []string{"h"}
			}
			shared, chosen, design := groupDraw(t, f, cfg, 2000)
			if !design.IsShared() {
				taken++
			}
			for k := range shared {
				change := chosen[k]/shared[k] - 1
				sums[0][k] += chosen[k] / float64(draws)
				sums[1][k] += change / float64(draws)
				squares[k] += change * change / float64(draws)
			}
			if c.most == 1 && !design.IsShared() && draws < 10 && c.design != "slopes" {
				t.Errorf("%s, draw %d: κ = %v taken", c.design, seed, design.Ridges)
			}
			if c.most < 1 && !(chosen[0] <= c.most*shared[0]) {
				t.Errorf("%s, draw %d: the worst group's risk is %v with shared and %v with chosen coefficients (κ = %v)", c.design,
					seed, shared[0], chosen[0], design.Ridges)
			}
		}
		se := func(k int) float64 {
			return math.Sqrt(max(0, squares[k]-sums[1][k]*sums[1][k]) / float64(max(1, draws-1)))
		}
		t.Logf("%-17s taken %2d of %d, worst group %.3f (%+.2f %% ± %.2f), average %.3f (%+.2f %% ± %.2f)", c.design, taken,
			draws,
			sums[0][0], 100*sums[1][0], 100*se(0), sums[0][1], 100*sums[1][1], 100*se(1))
	}
}

// mixedGroups returns a table with group columns of text, numbers and bools, some null, and with a category, numbers
// far from 0, and numbers with nulls.
func mixedGroups(t *testing.T, n int, unseen bool) *data.Frame {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 3))
	var b strings.Builder
	b.WriteString("year,income,kind,town,site,member,y\n")
	for i := range n {
		year, income := 2000+10*rng.Float64(), strconv.FormatFloat(math.Exp(rng.NormFloat64()), 'g', -1, 64)
		kind, town, site, member := []string{"p", "q", "r"}[rng.IntN(3)], []string{"A", "B",
			"C"}[rng.IntN(3)], fmt.Sprint(rng.IntN(2)), fmt.Sprint(rng.IntN(2) == 0)
		slope := map[string]float64{"A": 1, "B": -1, "C": 0.3}[town]
		if site == "1" {
			slope += 1
		}
		if town == "B" && site == "1" {
			slope -= 3
		}
		y := slope*(year-2005) + 0.3*rng.NormFloat64()
		switch {
		case i%17 == 3:
			income = ""
		case i%23 == 4:
			town = ""
		case unseen && i%29 == 5:
			town, site = "D", "7"
		}
		fmt.Fprintf(&b, "%v,%s,%s,%s,%s,%s,%v\n", year, income, kind, town, site, member, y)
	}
	f := readCSV(t, "mixed.csv", b.String())
	return f
}

// A model with group coefficients gives the same predictions from the training matrix, from the table, after it was
// saved and loaded, and by a Scorer. Rows of unseen groups get the shared coefficients.
func TestGroupCoefficients_PredictAsTrained(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"plain": func(*Config) {}, "sparse": func(c *Config) { c.Storage = "sparse" },
		"float32":         func(c *Config) { c.Storage = "float32" },
		"log":             func(c *Config) { c.Log, c.Square = []string{"income"}, []string{"year"} },
		"raw":             func(c *Config) { c.Scale = "none"; c.ScaleTarget = false },
		"crossed already": func(c *Config) { c.Interact = []string{"town:year", "income:kind"} },
		"mean":            func(c *Config) { c.Impute = "mean" },
		"drop":            func(c *Config) { c.Impute = "drop" },
		"reference":       func(c *Config) { c.Reference = []string{"town=B"} },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := keepingRows()
			cfg.Target, cfg.Groups, cfg.Impute, cfg.Holdout = "y", []string{"town", "site", "member"}, "median", 0
			cfg.Level, cfg.GroupCoefficients, cfg.MaxPasses =
				level.Level{Penalty: "kl", Nu: level.At(1)}, groupCoefficientsPooled, 1000
			change(&cfg)
			f := mixedGroups(t, 600, false)
			m := fitFrame(t, f, cfg)
			products := 0
			for _, in := range m.Encoder.Inputs {
				if len(in.Of) >= 2 {
					products++
				}
			}
			if products < m.Result.Design.Columns || m.Result.Design.Columns == 0 ||
				name != "raw" && len(m.Result.Design.Ridges) < 2 {
				t.Fatalf("%d products, design %+v", products, m.Result.Design)
			}
			trained, err := m.PredictDataset(m.Run.Train, m.Coefficients)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if _, err := m.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
			loaded := readModel(t, &b)
			again := mixedGroups(t, 600, false)
			p, err := loaded.Predict(context.Background(), again)
			if err != nil {
				t.Fatal(err)
			}
			known, err := loaded.Encoder.EncodeBlocks(t.Context(), again, nil, 0, true, func(encode.Block) error { return nil })
			if is := known.Training; err != nil || is == nil || is.Equal < len(p.Rows) || is.Equal != is.Compared {
				t.Errorf("training rows: %+v, %v; want all of %d", is, err, len(p.Rows))
			}
			byRow := map[int]float64{}
			for i, r := range p.Rows {
				byRow[r] = p.Score[i]
			}
			tolerance := 1e-9
			if name == "float32" {
				tolerance = 1e-4
			}
			for i, r := range m.Run.Train.Rows {
				if !(math.Abs(trained.Score[i]-byRow[r]) <= tolerance*(1+math.Abs(byRow[r]))) {
					t.Fatalf("row %d: %v from the training matrix, %v from the table", r, trained.Score[i], byRow[r])
				}
			}
			unseen := mixedGroups(t, 600, true)
			if cfg.Impute != "drop" {
				p, err = loaded.Predict(context.Background(), unseen)
				if err != nil {
					t.Fatal(err)
				}
				s := scorer(t, loaded)
				for i, row := range frameRows(t, unseen, s.Inputs()) {
					scored, err := s.Values(row...)
					if err != nil {
						t.Fatal(err)
					}
					if !(math.Abs(scored-p.Score[i]) <= 1e-7*(1+math.Abs(scored))) {
						t.Fatalf("row %d: scorer %v, predict %v", i, scored, p.Score[i])
					}
				}
			}
			if name != "float32" {
				if err := loaded.Rerun(context.Background(), f); err != nil {
					t.Fatal(err)
				}
				rerun, err := loaded.PredictDataset(loaded.Run.Train, loaded.Coefficients)
				if err != nil || len(rerun.Score) != len(trained.Score) ||
					!(math.Abs(rerun.Score[0]-trained.Score[0]) <= tolerance*(1+math.Abs(rerun.Score[0]))) {
					t.Errorf("rerun: %v, %v rows", err, len(rerun.Score))
				}
			}
		})
	}
}

// On several ranks the coefficients are shared, with a note; pooled ones are refused.
func TestGroupCoefficients_SharedOnRanks(t *testing.T) {
	f := drawGroups(t, "opposite", 1, 600)
	cfg := keepingRows()
	cfg.Target, cfg.Groups, cfg.Drop, cfg.Nu = "y", []string{"g"}, []string{"h"}, level.At(1)
	for _, m := range ranked(t, 2, f, cfg) {
		if g := m.Result.Design; g == nil || !g.IsShared() ||
			!strings.Contains(strings.Join(m.Notes, "\n"), "were not tried, because the rows are sharded over several ranks") {
			t.Errorf("design %+v, notes %q", g, m.Notes)
		}
	}
	for name, change := range map[string]func(*Config){
		"μ is 0":                   func(c *Config) { c.Mu = level.At(0) },
		"they need a group column": func(c *Config) { c.GroupFeatures = false },
	} {
		c := cfg
		c.GroupCoefficients = groupCoefficientsPooled
		change(&c)
		if _, err := FitFrame(context.Background(), f, c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Columns of group coefficients are not stored; a row stores the number of its cell.
func TestGroupCoefficients_TakeNoMatrix(t *testing.T) {
	f := mixedGroups(t, 600, false)
	cfg := keepingRows()
	cfg.Target, cfg.Groups, cfg.Impute, cfg.Holdout = "y", []string{"town", "site", "member"}, "median", 0
	cfg.Level = level.Level{Penalty: "kl", Nu: level.At(1)}
	bytes, columns := map[string]int64{}, map[string]int{}
	for _, how := range []string{groupCoefficientsNo, groupCoefficientsPooled} {
		cfg.GroupCoefficients = how
		m := fitFrame(t, f, cfg)
		bytes[how], columns[how] = m.Run.Train.X.Bytes(), m.Run.Train.D
	}
	if columns[groupCoefficientsPooled] < 2*columns[groupCoefficientsNo] ||
		bytes[groupCoefficientsPooled] > bytes[groupCoefficientsNo]+4*600 {
		t.Errorf("columns %v, bytes %v", columns, bytes)
	}
}

// In a cross-fitted evaluation every fold chooses its own design.
func TestGroupCoefficients_CrossFitted(t *testing.T) {
	f := drawGroups(t, "opposite", 3, 1500)
	cfg := keepingRows()
	cfg.Target, cfg.Groups, cfg.Drop, cfg.Holdout, cfg.Evaluate = "y", []string{"g"}, []string{"h"}, 0, EvaluateCrossfit
	cfg.Level = level.Level{Adversary: "groups", Penalty: "kl", Nu: level.At(0.1)}
	measure := func(ctx context.Context, c Config) (float64, error) {
		m, err := FitFrame(ctx, f, c)
		if err != nil {
			return 0, err
		}
		out, err := m.CrossFit(ctx)
		if err != nil {
			return 0, err
		}
		g := m.Run.Train.Groups[0]
		sum, rows, worst := make([]float64, len(g.Labels)), make([]float64, len(g.Labels)), 0.0
		for i, k := range g.Index {
			sum[k], rows[k] = sum[k]+out.Robust.Loss[i], rows[k]+1
		}
		for k := range sum {
			if rows[k] > 0 {
				worst = max(worst, sum[k]/rows[k])
			}
		}
		return worst, nil
	}
	shared := cfg
	shared.GroupCoefficients = groupCoefficientsNo
	without, err := measure(t.Context(), shared)
	if err != nil {
		t.Fatal(err)
	}
	with, err := measure(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !(with < 0.4*without) {
		t.Errorf("the worst group's risk is %v out of fold, %v with shared coefficients", with, without)
	}
}

// frameRows returns the values of all rows of a table by the columns of names.
func frameRows(t *testing.T, f *data.Frame, names []string) [][]any {
	t.Helper()
	rows := make([][]any, f.Rows)
	for _, name := range names {
		c, err := f.Column(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for r := range rows {
			switch {
			case c.IsNull(r):
				rows[r] = append(rows[r], nil)
			case c.Kind == data.Categorical:
				rows[r] = append(rows[r], c.Text(r))
			case c.Kind == data.Bool:
				rows[r] = append(rows[r], c.Number[r] != 0)
			default:
				rows[r] = append(rows[r], c.Number[r])
			}
		}
	}
	return rows
}
