package export

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/goldentest"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/score"
)

// edgeModel is a model with a term of every kind, and names and levels that are
// hard to write.
func edgeModel(task encode.Task) *train.Model {
	m := &train.Model{Version: "test"}
	e := &encode.Encoder{Target: encode.Target{Name: "y", Task: task, Scale: 1}}
	if task == encode.Binary {
		e.Target.Positive, e.Target.Negative = "it's <ok>", "no"
	} else {
		e.Target.Shift, e.Target.Scale = -250.25, 12.5
	}
	number := func(name string, fill, shift, scale, w float64) {
		e.Inputs = append(e.Inputs, encode.Input{Name: name, Kind: data.Numeric, First: len(e.Columns), Fill: fill})
		e.Columns = append(e.Columns, encode.Coding{Name: name, Source: name, Kind: "numeric", Shift: shift, Scale: scale})
		m.Coefficients = append(m.Coefficients, w)
	}
	category := func(name string, kind, stored data.Kind, missing bool, levels []string, w ...float64) {
		e.Inputs = append(e.Inputs, encode.Input{Name: name, Kind: kind, Stored: stored, First: len(e.Columns),
			Levels: levels, Missing: missing})
		all := append([]string{}, levels...)
		if missing {
			all = append(all, encode.MissingLabel)
		}
		if len(all) == 2 {
			all = all[1:]
		}
		if len(w) != len(all) {
			panic("a weight per column")
		}
		for _, l := range all {
			e.Columns = append(e.Columns, encode.Coding{Name: name + "=" + l, Source: name, Kind: "indicator", Level: l,
				Scale: 1})
		}
		m.Coefficients = append(m.Coefficients, w...)
	}
	number("age", 40, 1e6, 1.0/3, 0.25)
	number(`odd "na'me"`, -2, 0.1, 7, -0.75)
	category("region", data.Categorical, data.Categorical, true, []string{"", "Côte d'Ivoire", `back\slash "q"`, "süd"},
		0.5, -0.25, 0.125, 0.0625, 0.75)
	category("side", data.Categorical, data.Categorical, false, []string{"left", "right"}, 0.375)
	category("few", data.Categorical, data.Categorical, true, []string{"x"}, -0.4)
	category("known", data.Bool, data.Bool, false, []string{"false", "true"}, -0.3)
	category("maybe", data.Bool, data.Bool, true, []string{"false", "true"}, 0.11, 0.22, 0.33)
	category("floors", data.Categorical, data.Numeric, false, []string{"-1", "0", "2.1"}, 0.3, 0.2, -0.6)
	category("code", data.Categorical, data.Numeric, true, []string{"1", "2"}, 0.9, -0.8, 0.7)
	category("model", data.Categorical, data.Categorical, false, []string{"1", "1.0", "01"}, 0.15, 0.25, 0.35)
	e.Spec.Impute = "median"
	e.Columns = append(e.Columns, encode.Coding{Name: "(intercept)", Kind: "intercept", Scale: 1})
	m.Coefficients = append(m.Coefficients, -0.5)
	m.Baseline = make([]float64, len(m.Coefficients))
	m.Encoder = e
	return m
}

// productFormula has a function of every kind and products of columns of every kind.
func productFormula(task encode.Task) *score.Formula {
	return withProducts(must(edgeModel(task).Formula()))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// encodeFormulas returns the model of the formulas in a format.
func encodeFormulas(formulas []*score.Formula, f Format, o Options, version string) ([]byte, error) {
	m, err := newModel(formulas)
	if err != nil {
		return nil, err
	}
	return m.encode(f, o, version)
}

func withProducts(f *score.Formula) *score.Formula {
	fill := 2.5
	income := len(f.Terms)
	f.Terms = append(f.Terms, score.Term{Column: "income", Kind: score.Numeric, Stored: score.Numeric, Scale: 1,
		Fill: &fill})
	of := func(term int, name string) score.Factor {
		return score.Factor{Term: term, Function: score.Function{Name: name}}
	}
	spline := score.Factor{Term: 1, Function: score.Function{
		Name: "piecewise", Knots: []float64{-20, 0.5, 70}, Pieces: [][4]float64{{1, 0.1, 0, -1e-4},
			{2.2, -0.02, -6e-3, 1e-4}},
		Below: [2]float64{1, 0.1}, Above: [2]float64{-1.1, -0.11}}}
	term := map[string]int{}
	for i, t := range f.Terms {
		term[t.Column] = i
	}
	level := func(column string, k int) score.Factor { return score.Factor{Term: term[column], Level: k} }
	f.Products = []score.Product{
		{Factors: []score.Factor{of(income, "log")}, Weight: 0.3, Shift: 0.5, Scale: 1.5},
		{Factors: []score.Factor{of(income, "log1p")}, Weight: -0.2, Shift: 1, Scale: 3},
		{Factors: []score.Factor{of(0, "square")}, Weight: 0.11, Shift: 1e12, Scale: 1e6},
		{Factors: []score.Factor{spline}, Weight: 0.06, Shift: 0.2, Scale: 0.8},
		{Factors: []score.Factor{of(income, ""), of(1, "")}, Weight: 0.0005, Shift: 9, Scale: 6},
	}
	for i, x := range []score.Factor{
		level("region", 1), level("region", 4), level("side", 0), level("few", 1), level("known", 0), level("known", 1),
		level("maybe", 1), level("maybe", 0), level("maybe", 2), level("floors", 2), level("code", 0), level("code",
			2), level("model", 1),
	} {
		f.Products = append(f.Products, score.Product{Factors: []score.Factor{x, of(1, "")}, Weight: 0.04 + 0.01*float64(i),
			Shift: 0.3, Scale: 7})
	}
	cell := []score.Factor{level("region", 1), level("side", 0), level("code", 2)} // of crossed groups
	f.Products = append(f.Products,
		score.Product{Factors: append(cell, of(1, "")), Weight: 0.35, Scale: 4}, score.Product{Factors: cell, Weight: -0.45,
			Scale: 1},
		score.Product{Factors: []score.Factor{level("known", 1), level("maybe", 0), of(income, "log")}, Weight: 0.55,
			Shift: 0.1, Scale: 2})
	return f
}

// cases are formulas that reach everything a format can say.
func cases(t testing.TB) map[string][]*score.Formula {
	out := map[string][]*score.Formula{"products": {productFormula(encode.Binary)},
		"products-regression": {productFormula(encode.Regression)}}
	for name, task := range map[string]encode.Task{"binary": encode.Binary, "regression": encode.Regression} {
		out[name] = []*score.Formula{must(edgeModel(task).Formula())}
	}
	for _, f := range must(formulasOf(classModel())) {
		out["classes"] = append(out["classes"], withProducts(f))
	}
	for i := range out["classes"] { // of weights of their own
		for k := range out["classes"][i].Products {
			out["classes"][i].Products[k].Weight *= float64(i) - 0.7
		}
	}
	out["vectors"] = vectorFormulas()
	out["vector-regression"] = []*score.Formula{out["vectors"][0]}
	one := *out["vectors"][0]
	one.Target = score.Target{Name: "y", Numeric: true, Scale: 2, Shift: 1}
	out["vector-regression"][0] = &one
	for _, transform := range []string{"log", "log1p"} {
		f, err := edgeModel(encode.Regression).Formula()
		if err != nil {
			t.Fatal(err)
		}
		f.Terms[0].Weight = 1e-7 // the edges of a column must not leave the range of exp
		f.Target.Transform, f.Target.Shift, f.Target.Scale, f.Target.Smear = transform, 3, 0.5, 1.25
		out["target-"+transform] = []*score.Formula{f}
	}
	return out
}

// classModel is edgeModel with three classes.
func classModel() *train.Model {
	m := edgeModel(encode.Binary)
	m.Encoder.Target = encode.Target{Name: "kind", Task: encode.Multiclass, Classes: []string{`a "b"`, "it's", "ünd"},
		Scale: 1}
	x := m.Coefficients
	m.Coefficients = make([]float64, 3*len(x))
	for i, v := range x {
		m.Coefficients[3*i], m.Coefficients[3*i+1], m.Coefficients[3*i+2] = v, -0.5*v+0.1, float64(i%3)*0.2
	}
	return m
}

// vectorFormulas has three classes by a number and a vector, of which not every entry has a weight.
func vectorFormulas() []*score.Formula {
	fill := 0.25
	var all []*score.Formula
	for c := range 3 {
		f := &score.Formula{Target: score.Target{Name: "kind", Classes: []string{"ant", "bee", "cat"}},
			Constant: 0.1 * float64(c)}
		f.Terms = append(f.Terms, score.Term{Column: "size", Kind: score.Numeric, Stored: score.Numeric,
			Weight: 0.3 - 0.2*float64(c), Shift: 1, Scale: 2})
		for _, k := range []int{0, 1, 3, 60, 61} {
			f.Terms = append(f.Terms, score.Term{Column: fmt.Sprintf("em b[%d]", k), Vector: "em b", Kind: score.Numeric,
				Stored: score.Numeric,
				Weight: math.Sin(float64(3*k + c)), Shift: 0.1 * float64(k), Scale: 1 + float64(k)/8, Fill: &fill})
		}
		f.Products = []score.Product{{Factors: []score.Factor{{Term: 0}, {Term: 2, Function: score.Function{Name: "square"}}},
			Weight: 0.2 * float64(c), Shift: 1, Scale: 3}}
		all = append(all, f)
	}
	return all
}

// trained are formulas of models that were trained, with transforms and without.
func trained(t testing.TB) map[string][]*score.Formula {
	out := cases(t)
	for name, change := range map[string]func(*train.Config){
		"hmda":    func(c *train.Config) { c.Target = "deny" },
		"cps1988": func(c *train.Config) { c.Target, c.Loss = "wage", "huber" },
		"hmda transformed": func(c *train.Config) {
			c.Target, c.Spline, c.Square = "deny", []string{"pirat:4"}, []string{"lvrat"}
			c.Interact = []string{"hirat:unemp", "phist:lvrat", "single:insurance"}
		},
		"cps1988 transformed": func(c *train.Config) {
			c.Target, c.TargetTransform, c.Loss = "wage", "log", "squared"
			c.Log, c.Spline, c.Interact = []string{"education"}, []string{"experience:5"}, []string{"ethnicity:experience",
				"region:smsa"}
			c.Filter = "education > 0"
		},
		"cps1988 counts": func(c *train.Config) {
			c.Target, c.Loss, c.Features = "experience", "poisson", []string{"education", "smsa"}
			c.Filter = "experience >= 0"
		},
		"cps1988 exposures": func(c *train.Config) {
			c.Target, c.Loss, c.Exposure, c.Features = "experience", "poisson", "education", []string{"wage", "smsa"}
			c.Filter = "experience >= 0 && education > 0"
		},
		"cps1988 quantiles": func(c *train.Config) { c.Target, c.Loss = "wage", "quantile:0.9" },
	} {
		cfg := train.DefaultConfig()
		data, _, _ := strings.Cut(name, " ")
		share := 0.9
		cfg.Data, cfg.Ess, cfg.NoBaseline = "builtin:"+data, &share, true
		change(&cfg)
		m, err := train.Fit(t.Context(), cfg)
		if err != nil {
			t.Fatal(name, err)
		}
		out[name] = must(formulasOf(m))
	}
	out["dates"] = datedModel(t)
	out["reserved"] = reservedModel(t)
	out["renamed"] = renamedModel(t)
	for _, classes := range []bool{false, true} {
		m, _ := crossedModel(t, classes)
		out[fmt.Sprint("crossed groups, classes ", classes)] = must(formulasOf(m))
	}
	return out
}

// crossedModel trains on rows in which one combination of groups has other slopes. The combinations have coefficients
// of their own.
func crossedModel(t testing.TB, classes bool) (*train.Model, *data.Frame) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 9))
	var table strings.Builder
	table.WriteString("x,z,first,second,y\n")
	for i := range 1200 {
		x, z, first, second := rng.NormFloat64(), rng.NormFloat64(), rng.IntN(3), rng.IntN(2)
		y := x + z + 0.5*rng.NormFloat64()
		if first == 1 && second == 1 {
			y -= 3 * x
		}
		target := fmt.Sprintf("%.6f", y)
		if classes {
			target = fmt.Sprint(y > 0)
		}
		level := []string{"it's", "b", "ü"}[first]
		if i%97 == 0 {
			level = ""
		}
		fmt.Fprintf(&table, "%.6f,%.6f,%s,%d,%s\n", x, z, level, second, target)
	}
	frame, err := data.OpenReader(t.Context(), "crossed.csv", strings.NewReader(table.String()), data.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := train.DefaultConfig()
	cfg.Target, cfg.Groups, cfg.Average, cfg.Holdout = "y", []string{"first", "second"}, "plain", 0
	cfg.GroupCoefficients = "auto"
	m, err := train.FitFrame(t.Context(), frame, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if d := m.Result.Design; len(d.Ridges) != 2 {
		t.Fatalf("combinations of groups share their coefficients: %+v", d)
	}
	return m, frame
}

// The formula that every format is written from, and ONNX, predict the rows of training as the trained model does,
// where combinations of groups have coefficients of their own.
func TestCrossedGroups_FormulaIsTheModel(t *testing.T) {
	for _, classes := range []bool{false, true} {
		m, frame := crossedModel(t, classes)
		said, err := m.Predict(t.Context(), frame)
		if err != nil {
			t.Fatal(err)
		}
		g := readONNX(t, must(newModel(must(formulasOf(m)))).encodeONNX("test"))
		formulas := must(formulasOf(m))
		cells := 0
		for _, p := range formulas[0].Products {
			levels := 0
			for _, x := range p.Factors {
				if f := formulas[0].Terms[x.Term]; f.Kind != score.Numeric || len(f.Levels) > 0 {
					levels++
				}
			}
			if levels == 2 && len(p.Factors) == 3 && p.Weight != 0 {
				cells++
			}
		}
		if cells < 8 { // six combinations of levels, and two numbers
			t.Errorf("classes %v: %d slopes of combinations", classes, cells)
		}
		for i, want := range said.Score {
			row := make([]any, 0, len(formulas[0].Terms))
			for _, term := range formulas[0].Terms {
				c, err := frame.Column(t.Context(), term.Column)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case c.IsNull(i):
					row = append(row, nil)
				case c.Kind == data.Numeric:
					row = append(row, c.Number[i])
				default:
					row = append(row, c.Text(i))
				}
			}
			got := must(scoreRow(formulas, row))
			in := g.run(t, onnxInputs(t, must(newModel(formulas)), row))[0].v
			for format, v := range map[string]float64{"formula": got[0], "ONNX": in[0]} {
				if !(math.Abs(v-want) <= peerTolerance*max(1, math.Abs(want))) {
					t.Fatalf("classes %v, row %d: %s %v, model %v", classes, i, format, v, want)
				}
			}
			if i == 200 {
				break
			}
		}
	}
}

// renamedModel is a model of a table in which numbers and texts stand for others or for missing values.
func renamedModel(t testing.TB) []*score.Formula {
	t.Helper()
	var table strings.Builder
	table.WriteString("age,site,floor,y\n")
	for i := range 200 {
		fmt.Fprintf(&table, "%d,%s,%d,%d\n", []int{999, 8, 4, 5 + i%13}[i%4], []string{"a", "B", "?", "c"}[i%4],
			[]int{1, 2, 99}[i%3], i*i/7%2)
	}
	how := data.Reading{Relabel: map[string]string{"B": "b", "8": "4", "5": "999"}}
	how.Text.Missing = []string{"age=999", "?", "floor=99"}
	frame, err := data.OpenReader(t.Context(), "renamed.csv", strings.NewReader(table.String()), how)
	if err != nil {
		t.Fatal(err)
	}
	cfg := train.DefaultConfig()
	nu := 1.0
	cfg.Target, cfg.Loss, cfg.Nu, cfg.NoBaseline, cfg.Impute, cfg.Reading, cfg.Categorical, cfg.Square =
		"y", "logistic", &nu, true, "mean", how, []string{"floor"}, []string{"age"}
	m, err := train.FitFrame(t.Context(), frame, cfg)
	if err != nil {
		t.Fatal(err)
	}
	f := must(formulasOf(m))
	if len(f[0].Terms[0].Renamed) != 3 || !slices.Contains(f[0].Terms[1].Levels, "?") ||
		!slices.Contains(f[0].Terms[2].Levels, "99") {
		t.Fatalf("the terms do not rename values: %+v", f[0].Terms)
	}
	return f
}

// reservedModel is a model whose columns and levels have names that languages and this program use: words of SQL, and
// the labels of nulls and of rare levels as texts beside real nulls and rare levels.
func reservedModel(t testing.TB) []*score.Formula {
	t.Helper()
	levels := []string{"(missing)", "(other)", "", `"(missing)"`, "null", "NULL", "true", "select", "it's", "rare"}
	var table strings.Builder
	table.WriteString("select,order,NaN,y\n")
	for i := range 400 {
		level := levels[i*7%9]
		if i < 3 {
			level = fmt.Sprintf("rare%d", i)
		}
		fmt.Fprintf(&table, "%q,%d,%q,%d\n", level, i%13, []string{"null", "(other)", ""}[i%3], i*i/7%2)
	}
	text := strings.ReplaceAll(table.String(), `\"`, `""`)
	frame, err := data.OpenReader(t.Context(), "reserved.csv", strings.NewReader(text), data.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := train.DefaultConfig()
	nu := 1.0
	cfg.Target, cfg.Loss, cfg.Nu, cfg.NoBaseline, cfg.MinCount, cfg.Interact =
		"y", "logistic", &nu, true, 10, []string{"select:order"}
	m, err := train.FitFrame(t.Context(), frame, cfg)
	if err != nil {
		t.Fatal(err)
	}
	in := m.Encoder.Inputs[0]
	for _, want := range levels[:2] {
		if !slices.Contains(in.Levels, want) {
			t.Fatalf("%q is not among the levels %q", want, in.Levels)
		}
	}
	if !in.Missing || !in.Other {
		t.Fatalf("nulls and rare levels are no levels of their own: %+v", in)
	}
	return must(formulasOf(m))
}

// datedModel is a model without an intercept whose feature is a date, taken as a number.
func datedModel(t testing.TB) []*score.Formula {
	t.Helper()
	var table strings.Builder
	table.WriteString("issued,y\n")
	for i := range 60 {
		fmt.Fprintf(&table, "20%02d-%02d-%02d,%d\n", 10+i%12, 1+i%11, 1+i%27, i%12+i%5)
	}
	reading := data.Reading{Dates: "number"}
	frame, err := data.OpenReader(t.Context(), "issues.csv", strings.NewReader(table.String()), reading)
	if err != nil {
		t.Fatal(err)
	}
	cfg := train.DefaultConfig()
	nu := 1.0
	cfg.Target, cfg.Loss, cfg.Intercept, cfg.NoBaseline, cfg.Nu, cfg.Reading, cfg.Square =
		"y", "squared", false, true, &nu, reading, []string{"issued"}
	m, err := train.FitFrame(t.Context(), frame, cfg)
	if err != nil {
		t.Fatal(err)
	}
	f := must(formulasOf(m))
	if !f[0].Terms[0].Date {
		t.Fatal("the column is not known to hold dates")
	}
	return f
}

// A null of text in ONNX is a text that no level is: "(missing)" is a level like others.
func TestNullText_NoLevel(t *testing.T) {
	for _, levels := range [][]string{{"a"}, {"", "a"}, {"", encode.MissingLabel}, {"", "\x7fnull"}} {
		if got := nullText(levels); slices.Contains(levels, got) || got == encode.MissingLabel {
			t.Errorf("%q: %q", levels, got)
		}
	}
}

// Without PostgreSQL and DuckDB at hand: what their comparisons and errors ask for is there.
func TestSQL_NumbersOutOfRange(t *testing.T) {
	f := datedModel(t)
	for d, want := range map[string]string{
		"duckdb": "EXTRACT(EPOCH FROM", "postgres": "EXTRACT(EPOCH FROM", "bigquery": "UNIX_MICROS(TIMESTAMP(",
	} {
		b, err := encodeFormulas(f, SQL, Options{Dialect: d}, "test")
		if err != nil {
			t.Fatal(err)
		}
		if s := string(b); !strings.Contains(s, want) || strings.Contains(s, `CAST("issued"`) || !strings.Contains(s,
			" BETWEEN ") {
			t.Errorf("%s:\n%s", d, s)
		}
	}
	edge, err := edgeModel(encode.Regression).Formula()
	if err != nil {
		t.Fatal(err)
	}
	edge.Target.Transform = "log"
	b, err := encodeFormulas([]*score.Formula{edge}, SQL, Options{Dialect: "postgres"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); !strings.Contains(s, "WHEN log_prediction <= 7e+02::float8 THEN") {
		t.Errorf("the exponential is not kept in range:\n%s", s)
	}
	for i, term := range edge.Terms {
		if term.Kind == score.Numeric {
			if most := must(newModel([]*score.Formula{edge})).largestWithoutOverflow(i); !(most > 1e290) ||
				math.IsInf(term.Weight*((most-term.Shift)/term.Scale), 0) {
				t.Errorf("%s: numbers up to %v are scored", term.Column, most)
			}
		}
	}
}

// TestGolden_SQL compares queries with testdata. TestPeers_ScoreAsTheModel and TestPostgres_ScoresAsTheModel run the
// exported models.
func TestGolden_SQL(t *testing.T) {
	all := cases(t)
	for _, name := range []string{"binary", "products"} {
		for _, dialect := range []string{"duckdb", "postgres"} {
			got, err := encodeFormulas(all[name], SQL, Options{Dialect: dialect}, "test")
			if err != nil {
				t.Fatalf("%s, %s: %v", name, dialect, err)
			}
			goldentest.Bytes(t, filepath.Join("testdata", name+"-"+dialect+".sql"), got)
		}
	}
}

// What is exported is the model that scores: recalibrated, where it was.
func TestExport_IsRecalibrated(t *testing.T) {
	m := edgeModel(encode.Binary)
	m.Recalibrated = slices.Clone(m.Coefficients)
	for i := range m.Recalibrated {
		m.Recalibrated[i] *= 0.5
	}
	half := edgeModel(encode.Binary)
	half.Coefficients = m.Recalibrated
	for _, f := range Formats() {
		var got, want bytes.Buffer
		if err := errors.Join(Write(&got, m, f, Options{}), Write(&want, half, f, Options{})); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%s: not the recalibrated coefficients", f)
		}
	}
}

// The table of coefficients stands as reviewed.
func TestGolden_CoefficientTable(t *testing.T) {
	for name, task := range map[string]encode.Task{"binary": encode.Binary, "regression": encode.Regression} {
		var b bytes.Buffer
		if err := Write(&b, edgeModel(task), CSV, Options{}); err != nil {
			t.Fatal(err)
		}
		goldentest.Bytes(t, filepath.Join("testdata", name+".csv"), b.Bytes())
	}
}

// Every level, an unseen one and a null of every column are among the edge rows.
func TestEdgeRows_HoldEveryLevel(t *testing.T) {
	f, err := edgeModel(encode.Binary).Formula()
	if err != nil {
		t.Fatal(err)
	}
	rows := edgeRows(f)
	for i, term := range f.Terms {
		seen, nulls, others := map[string]bool{}, 0, 0
		for _, r := range rows {
			switch v := r[i].(type) {
			case nil:
				nulls++
			case string:
				seen[v] = true
			case float64:
				seen[strconv.FormatFloat(v, 'g', -1, 64)] = true
			case bool:
				seen[strconv.FormatBool(v)] = true
			}
		}
		for _, l := range term.Levels {
			if !seen[l] {
				t.Errorf("%s: no row has level %q", term.Column, l)
			}
			delete(seen, l)
		}
		others = len(seen)
		if (nulls > 0) != (term.Null || term.Fill != nil) || others == 0 && term.Kind != score.Bool {
			t.Errorf("%s: %d nulls, %d values that are no level", term.Column, nulls, others)
		}
	}
}

// Of numbers as categories, however few or close, the edges have one that is no level.
func TestEdgeRows_NumbersAsLevels(t *testing.T) {
	for _, levels := range [][]string{{"7"}, {"1", "1.5"}, {"1", "1.5", "2"}} {
		rows := edgeRows(&score.Formula{Terms: []score.Term{{Column: "c", Kind: score.Categorical, Stored: score.Numeric,
			Levels: levels}}})
		other := 0
		for _, r := range rows {
			if !slices.Contains(levels, strconv.FormatFloat(r[0].(float64), 'g', -1, 64)) {
				other++
			}
		}
		if len(rows) != len(levels)+1 || other != 1 {
			t.Errorf("%q: %v", levels, rows)
		}
	}
}

func TestExport_Refuses(t *testing.T) {
	with := func(change func(m *train.Model)) *train.Model {
		m := edgeModel(encode.Binary)
		change(m)
		return m
	}
	twins := with(func(m *train.Model) { m.Encoder.Inputs[3].Name = "AGE" })
	nul := with(func(m *train.Model) { m.Encoder.Inputs[2].Levels[1] = "a\x00b" })
	infinite := with(func(m *train.Model) { m.Coefficients[0] = math.Inf(1) })
	none := with(func(m *train.Model) {
		m.Encoder.Inputs, m.Encoder.Columns, m.Coefficients = nil, m.Encoder.Columns[:1], m.Coefficients[:1]
	})
	for _, c := range []struct {
		m    *train.Model
		f    Format
		o    Options
		want string
	}{
		{twins, SQL, Options{}, "differ only in case"},
		{nul, SQL, Options{}, "region"},
		{infinite, CSV, Options{}, "damaged"},
		{none, ONNX, Options{}, "no column"},
		{edgeModel(encode.Binary), SQL, Options{Dialect: "bigquery"}, ""},
		{edgeModel(encode.Binary), SQL, Options{Dialect: "oracle"}, "dialect"},
		{edgeModel(encode.Binary), SQL, Options{Table: "a; drop table b"}, "table"},
		{edgeModel(encode.Binary), "pmml", Options{}, "unknown format"},
		{&train.Model{}, SQL, Options{}, "coefficients"},
		{with(func(m *train.Model) { m.Encoder.Target.Transform = "sine" }), SQL, Options{}, "sine"},
	} {
		var b bytes.Buffer
		err := Write(&b, c.m, c.f, c.o)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.f, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || b.Len() > 0 {
			t.Errorf("%s: %v, wanted %q (%d bytes written)", c.f, err, c.want, b.Len())
		}
	}
	if err := Write(&bytes.Buffer{}, twins, SQL, Options{Dialect: "postgres"}); err != nil {
		t.Errorf("postgres tells case apart: %v", err)
	}
}

// The page on scoring lists every dialect with what its queries are compared by.
func TestDialects_Documented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "scoring.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dialects {
		found := false
		for _, line := range strings.Split(string(page), "\n") {
			found = found || strings.HasPrefix(line, "| `"+d.name+"`") && strings.Contains(line, "| "+d.checked+" |") &&
				strings.Contains(line, "refused") == (d.entry == "")
		}
		if !found {
			t.Errorf("%s, compared by %s: not documented", d.name, d.checked)
		}
	}
	for _, name := range Dialects() {
		if d, err := findDialect(name); err != nil || d.days == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A dialect without lists refuses a column of vectors and says which formats have it.
func TestSQL_VectorsRefused(t *testing.T) {
	for _, d := range dialects {
		_, err := encodeFormulas(vectorFormulas(), SQL, Options{Dialect: d.name}, "test")
		if (err == nil) != (d.entry != "") || err != nil && !strings.Contains(err.Error(), "onnx") {
			t.Errorf("%s: %v", d.name, err)
		}
	}
}
