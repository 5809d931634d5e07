package page

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/printable"
)

// Every lead number of the first screen has its interval and a baseline, drawn and in words, and its rows.
func TestTiles_IntervalAndBaseline(t *testing.T) {
	for _, task := range []eval.Task{eval.Binary, eval.Multiclass, eval.Regression} {
		r := &eval.Report{Title: "t"}
		if task == eval.Multiclass {
			r.Evaluation = evaltest.Evaluate(t, threeClasses())
		} else {
			r = evaltest.Sample(t, task)
		}
		if r.Evaluation.Resamples == 0 {
			t.Fatalf("%s: no intervals", task)
		}
		p := newPage(r)
		tiles := p.Tiles()
		if len(tiles) < 3 {
			t.Fatalf("%s: %d tiles", task, len(tiles))
		}
		for _, q := range tiles {
			text := strings.Join(q.Lines, "; ")
			if !strings.Contains(text, "95\u00a0% interval") || !strings.Contains(text, "constant") ||
				!strings.Contains(text+q.About, "row") && task == eval.Binary {
				t.Errorf("%s, %s: %q", task, q.Label, text)
			}
			for _, class := range []string{`class="iv`, `class="const"`, `class="dot"`} {
				if !strings.Contains(string(q.Strip), class) {
					t.Errorf("%s, %s has no %s", task, q.Label, class)
				}
			}
		}
	}
}

// threeClasses returns predictions of three classes for two groups, with the classes as the first grouping.
func threeClasses() eval.Input {
	const n = 300
	in := eval.Input{Task: eval.Multiclass, Classes: []string{"a", "b", "c"}, LossName: "logistic", LossUnit: "nats",
		TargetName: "letter", Resamples: 200, Models: []eval.Model{{Name: "ERM", Role: eval.StandardModel}}}
	m := &in.Models[0]
	by := facts.Grouping{Name: "letter", Labels: in.Classes}
	half := facts.Grouping{Name: "half", Labels: []string{"first", "second"}}
	for i := range n {
		class, place := i%3, 1
		right := i%(5+3*class) > 0 // a is missed most often
		p, predicted := 0.7, class
		if !right {
			p, predicted, place = 0.2, (class+1)%3, 2
		}
		in.Target = append(in.Target, float64(class))
		m.Score, m.Loss = append(m.Score, p), append(m.Loss, -math.Log(p))
		m.Class, m.Place = append(m.Class, int32(predicted)), append(m.Place, int32(place))
		by.Index, half.Index = append(by.Index, int32(class)), append(half.Index, int32(i/(n/2)))
	}
	in.Groups = []facts.Grouping{by, half}
	return in
}

// The page of more than two classes names the class with the lowest recall.
func TestTiles_LeastFoundClass(t *testing.T) {
	p := newPage(&eval.Report{Title: "t", Evaluation: evaltest.Evaluate(t, threeClasses())})
	_, h := p.leastFoundClass(0)
	if h == nil || h.Label != "a" || !strings.Contains(p.describeLosses(), "Class a has the lowest recall") {
		t.Errorf("%v, %q", h, p.describeLosses())
	}
}

// The constant prediction of a tile is right in as many rows as the larger class has.
func TestTiles_ConstantIsTheLargerClass(t *testing.T) {
	in := evaltest.Read(t).Input(eval.Binary)
	in.Weight = nil
	positives := 0
	for _, y := range in.Target {
		if y > 0 {
			positives++
		}
	}
	e := evaltest.Evaluate(t, in)
	lead := e.Task.Leading()
	want := max(float64(positives), float64(len(in.Target)-positives)) / float64(len(in.Target))
	if got, ok := e.Constants[lead.Key]; !ok || !(math.Abs(float64(got)-want) <= 1e-12) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Marks stay on the axis, and there is no drawing of what is not known.
func TestStrip_Marks(t *testing.T) {
	s := newStrip(5, &eval.Interval{Low: -100, High: 100}, func(x float64) string { return fmt.Sprint(x) })
	s.bottom, s.top = 0, 10
	text := string(s.draw(`a "name" <b>`))
	if !strings.Contains(text, `x1="3.0%" x2="97.0%"`) || !strings.Contains(text, `cx="50.0%"`) || strings.Contains(text,
		"<b>") {
		t.Error(text)
	}
	s.value = math.NaN()
	if s.draw("") != "" {
		t.Error("a number that is not known is drawn")
	}
}

// The title of a page of a failed gate says so and names the group.
func TestHeading_OfAFailedGate(t *testing.T) {
	e := evaltest.Evaluate(t, evaltest.Loans())
	e.Gates = []eval.GateResult{{Text: "a", Message: "passed: x"},
		{Text: "b", Failed: true, Group: "South", Message: "failed: y"}}
	p := newPage(&eval.Report{Title: "Model", Evaluation: e})
	if got := p.Heading(); got != "1 of 2 gates failed, in South" {
		t.Error(got)
	}
	if e.Gates[1].Failed = false; p.Heading() != "Model" {
		t.Error(p.Heading())
	}
}

// The interval of a gate is written only if both of its limits are known.
func TestGateText_IntervalOfTheEstimate(t *testing.T) {
	num := func(v float64) *eval.Num { n := eval.Num(v); return &n }
	for _, c := range []struct {
		name string
		gate eval.GateResult
		want string
	}{
		{"estimate alone", eval.GateResult{Value: 0.25, Estimate: num(0.25)}, "0.250"},
		{"lower limit unknown", eval.GateResult{Value: 0.25, Estimate: num(0.25), High: num(0.5)}, "0.250"},
		{"no estimate", eval.GateResult{Value: 0.25, Low: num(0.125), High: num(0.5)}, "0.250"},
		{"interval", eval.GateResult{Value: 0.25, Estimate: num(0.25), Low: num(0.125), High: num(0.5)},
			"0.250 [0.125\u00a0to\u00a00.500]"},
		{"limit decides", eval.GateResult{Value: 0.125, Estimate: num(0.25), Low: num(0.125), High: num(0.5), End: -1,
			Group: "South"}, "South: at least 0.125 [estimate 0.250, 0.125\u00a0to\u00a00.500]"},
		{"undefined", eval.GateResult{Value: eval.Num(math.NaN()), Message: "failed: no rows"}, "no rows"},
	} {
		if got := gateText(&c.gate); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Parts that are folded on the screen are printed, and long tables are folded.
func TestPage_FoldsAndPrints(t *testing.T) {
	in := evaltest.Two(2000, 40, 0.1, 3)
	in.Resamples = 0
	var b bytes.Buffer
	if err := WriteHTML(&b, &eval.Report{Title: "many", Evaluation: evaltest.Evaluate(t, in)}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.Contains(text, "<summary>The other 28 rows</summary>") {
		t.Error("the table of 40 groups is not folded")
	}
	if print := text[strings.Index(text, "@media print"):]; !strings.Contains(print,
		"details::details-content{content-visibility:visible") {
		t.Error("folded parts are not printed")
	}
}

// A number has one interval on the whole page: the RMSE of a squared loss is the risk, in the tiles and in the table.
func TestTiles_OneIntervalPerNumber(t *testing.T) {
	p := newPage(evaltest.Sample(t, eval.Regression))
	if !p.E.IsRisk(p.E.Task.Leading()) {
		t.Fatal("the RMSE is not the risk of this sample")
	}
	rows := make(map[string]string) // interval by value
	for _, row := range p.Groups().Rows {
		value, note, _ := strings.Cut(row.Cells[2], " [")
		rows[value], _, _ = strings.Cut(note, ";")
	}
	for _, q := range p.Tiles()[:2] {
		if text := strings.Join(q.Lines, "; "); rows[q.Value] == "" || !strings.Contains(text, rows[q.Value]) {
			t.Errorf("%s %s: %q on the tile, %q in the table", q.Label, q.Value, text, rows[q.Value])
		}
	}
}

// A file may lack the changes of a group: its table shows the difference of the risks.
func TestWriteHTML_ChangeOfAGroupIsMissing(t *testing.T) {
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		r := evaltest.Sample(t, task)
		for k := range r.Evaluation.Compared {
			c := &r.Evaluation.Compared[k]
			c.Groups[0].Label = "another"
		}
		g := r.Evaluation.Headline()
		for _, c := range newPage(r).groupColumns(g) {
			if text, _ := c.cell(&g.Groups[0]); strings.HasPrefix(c.head, "Change, ") && text == "–" {
				t.Errorf("%s: no change of %s", task, g.Groups[0].Label)
			}
		}
		var b bytes.Buffer
		if err := WriteHTML(&b, r); err != nil {
			t.Error(err)
		}
	}
}

// The glossary of a page defines the measures of its tables.
func TestGlossary_DefinesMeasures(t *testing.T) {
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		p := newPage(evaltest.Sample(t, task))
		defined := map[string]string{}
		for _, f := range p.Glossary() {
			defined[f.Key] = f.Value
		}
		for _, m := range task.Measures()[1:] {
			if !p.E.IsRisk(m) && !strings.HasPrefix(defined[m.Label], m.About) {
				t.Errorf("%s: %s is %q, want %q", task, m.Label, defined[m.Label], m.About)
			}
		}
	}
}

// TestTiles_ShowTheRecommendedModel checks that the tiles, the groups and the slices are those of the model that the
// verdict recommends, with the other model beside it.
func TestTiles_ShowTheRecommendedModel(t *testing.T) {
	for _, c := range []struct {
		name  string
		shift float64
		shown int
	}{
		{"the robust model helps", 0.5, 1},
		{"the robust model is worse", -0.3, 0},
		{"no difference", 0, 0},
	} {
		in := evaltest.Two(900, 3, c.shift, 4)
		in.Columns = []eval.Column{{Name: "x", Value: in.Target}}
		e := evaltest.Evaluate(t, in)
		p := newPage(&eval.Report{Evaluation: e})
		if e.Shown() != c.shown || e.Slices.Model != e.Models[c.shown].Name {
			t.Errorf("%s: %s is shown, and the slices are those of %s", c.name, e.Models[e.Shown()].Name, e.Slices.Model)
			continue
		}
		lead := e.Task.Leading()
		tile, other := p.Tiles()[0], p.Models[1-c.shown]
		value, beside := e.Models[c.shown].Overall.Of[lead.Key], e.Models[1-c.shown].Overall.Of[lead.Key]
		if want := printable.NumberAtScale(float64(value), float64(value)); tile.Value != want ||
			!strings.Contains(strings.Join(tile.Lines, "; "), other+" "+printable.NumberAtScale(float64(beside), float64(value))) {
			t.Errorf("%s: %s %q, want %s", c.name, tile.Value, tile.Lines, want)
		}
		risk := p.E.Models[c.shown].WorstGroup.Risk
		if order := p.E.Headline().WorstFirst(p.E.Shown()); order[0].Models[c.shown].Values.Risk() != risk ||
			!strings.HasPrefix(p.Groups().Rows[0].Cells[0], order[0].Label) {
			t.Errorf("%s: the first group is %s, not the worst one", c.name, p.Groups().Rows[0].Cells[0])
		}
		f, _ := figRisk(p.Report)
		if !strings.Contains(f.Caption, "in descending order of the risk of "+e.Models[c.shown].Name+".") {
			t.Errorf("%s: the figure of groups says %q, but %s orders them", c.name, f.Caption, e.Models[c.shown].Name)
		}
	}
}

// The page of models of a quantile leads with the pinball loss and the share of targets at or below the prediction, and
// does not call predictions biased because they are above the mean.
func TestPage_Quantile(t *testing.T) {
	for name, c := range map[string]struct {
		loss  string
		above float64 // number of standard deviations by which predictions exceed the mean
		wrong string
	}{
		"right":    {"quantile:0.9", 1.2816, ""},
		"too low":  {"quantile:0.9", 0.5, "Too few targets"},
		"too high": {"quantile:0.5", 1, "Too many targets"},
	} {
		in := evaltest.Two(800, 2, 0, 1)
		in.LossName, in.LossUnit, in.TargetName = c.loss, "units of y", "y"
		rng := rand.New(rand.NewPCG(3, 1))
		for k := range in.Models {
			m := &in.Models[k]
			for i := range m.Score {
				m.Score[i] = in.Target[i] + rng.NormFloat64() + c.above
				m.Loss[i] = max(0.9*(in.Target[i]-m.Score[i]), 0.1*(m.Score[i]-in.Target[i]))
			}
		}
		p := newPage(&eval.Report{Title: "t", Evaluation: evaltest.Evaluate(t, in)})
		tiles := p.Tiles()
		if len(tiles) != 3 || tiles[0].Label != "All rows: pinball loss" || tiles[1].Label != "Worst group: pinball loss" ||
			tiles[2].Label != "Targets at or below the prediction" {
			t.Errorf("%s: %+v", name, tiles)
		}
		warned := ""
		for _, w := range p.Worries() {
			if w.Kind == "The average prediction is off" {
				t.Errorf("%s: %s", name, w.Text)
			}
			if w.Kind == "The quantiles are off" {
				warned = w.Text
			}
		}
		if finding := p.curvesFinding(); (warned == "") != (c.wrong == "") || !strings.HasPrefix(warned, c.wrong) ||
			c.wrong == "" && !strings.HasSuffix(finding, "(within sampling error)") ||
			c.wrong != "" && finding+"." != warned {
			t.Errorf("%s: %q, %q", name, warned, finding)
		}
		if head := p.Ranking().Head; head[1] != "Pinball loss" || slices.Contains(head, "RMSE") {
			t.Errorf("%s: %q", name, head)
		}
		if s := p.E.ConstantSentence(); s != "" {
			t.Errorf("%s: %q, but no constant was given", name, s)
		}
	}
}

// No axis extends beyond the bounds of its measure.
func TestMeasureStrip_AxisWithinBounds(t *testing.T) {
	p := newPage(evaltest.Sample(t, eval.Regression))
	for _, q := range p.Tiles() {
		if bottom, top := q.strip.axisRange(); bottom < q.strip.least || top > q.strip.greatest {
			t.Errorf("%s: from %v to %v", q.Label, bottom, top)
		}
	}
	m, _ := eval.Regression.Measure("r2")
	h := p.allRows()
	h.Models[0].Values.Of["r2"] = 0.98
	s := p.measureStrip(m, h, 0, &eval.Interval{Low: 0.4, High: 0.99})
	if bottom, top := s.axisRange(); !(bottom < 0.4) || top != 1 {
		t.Errorf("R²: from %v to %v", bottom, top)
	}
}

// A class with too few rows is not the one with the lowest recall, and the page says so.
func TestClasses_TooFewRows(t *testing.T) {
	in := threeClasses()
	for i := range in.Target {
		if i%3 == 0 && i >= 60 { // 20 rows of a remain, and b has 180 rows
			in.Target[i], in.Groups[0].Index[i] = 1, 1
		}
	}
	in.MinGroupSize = 50
	p := newPage(&eval.Report{Title: "t", Evaluation: evaltest.Evaluate(t, in)})
	if got := p.rarestFoundClass(); strings.Contains(got, "Class a") ||
		!strings.HasSuffix(got, "(of the classes with at least 50 rows)") {
		t.Error(got)
	}
	if cell := p.Classes()[0].Rows[0].Cells[0]; cell != "a (too few rows)" {
		t.Error(cell)
	}
	const want = "1 class of letter has fewer than 50 rows, too few for any conclusion."
	if got := p.smallGroupWarnings(); len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
	if !strings.Contains(strings.Join(p.E.Caveats, "\n"), "letter: 1 class has fewer than 50 rows") {
		t.Errorf("%q", p.E.Caveats)
	}
}

// The table of criteria names all groups that share the lowest or highest rate, and why a criterion was not tested.
func TestCriteria_TiesAndReasons(t *testing.T) {
	in := evaltest.Loans()
	in.Favourable, in.Groups[0].Labels = &eval.Favourable{Value: "no"}, []string{"north", "south", "west", "east"}
	for i := range 40 {
		if i >= len(in.Target) {
			in.Target = append(in.Target, in.Target[i-8])
			in.Groups[0].Index = append(in.Groups[0].Index, 0)
		}
		in.Groups[0].Index[i] = int32(i % 4)
		for k := range in.Models {
			m := &in.Models[k]
			if i >= len(m.Score) {
				m.Score, m.Loss = append(m.Score, 0), append(m.Loss, 0.5)
			}
			m.Score[i] = 0.1
			if i%4 >= 2 && i < 20 { // as many rows of west and of east
				m.Score[i] = 0.9
			}
		}
	}
	p := newPage(&eval.Report{Title: "t", Evaluation: evaltest.Evaluate(t, in)})
	found := false
	for _, r := range p.Criteria().Rows {
		if strings.HasPrefix(r.Cells[0], "Four-fifths rule") {
			found = true
			if r.Cells[3] != "west and east; north and south" || !strings.HasSuffix(r.Cells[1], " (there are no intervals)") {
				t.Errorf("%q", r.Cells)
			}
		}
	}
	if !found {
		t.Errorf("%+v", p.Criteria().Rows)
	}
	if q, ok := p.criterionTile(); !ok || q.Outcome != "not tested" {
		t.Errorf("the tile has the outcome %q", q.Outcome)
	}
	if got := p.NotTested(); !strings.Contains(got, "whether differences between groups and models exceed sampling error") {
		t.Error(got)
	}
	got := p.undecidedCriteria()
	if len(got) != 1 || !strings.HasPrefix(got[0], "No test was made of the four-fifths rule") ||
		!strings.HasSuffix(got[0], ": there are no intervals.") {
		t.Errorf("%q", got)
	}
}
