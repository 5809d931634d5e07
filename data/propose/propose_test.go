package propose

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/spearman"
)

// messy is a table of 200 rows with something of everything that stands out.
func messy(t *testing.T) *data.Frame {
	t.Helper()
	var b strings.Builder
	b.WriteString("row_id,name,paid,age,income,income_again,paid_copy,settled_on,tells,final_state,note,many,gap,same\n")
	for i := range 200 {
		paid := (i*7919)%10 < 4
		age := 20 + i*31%50
		gap, settled := "", ""
		if i%3 == 0 {
			gap = fmt.Sprint(i % 11)
		}
		if paid {
			settled = fmt.Sprint(i % 5)
		}
		copied := paid
		if i%67 == 3 {
			copied = !paid // a few differ
		}
		tells := float64(i % 17)
		if paid {
			tells += 100
		}
		fmt.Fprintf(&b, "%d,Person %d,%v,%d,%d,%d,%v,%s,%v,%s,%s,x%d,%s,1\n", 1000+i, i, paid, age, age*age%97, age*age%97,
			copied, settled, tells,
			[]string{"a", "b"}[i%2], strings.Repeat("z", i%150), i%9, gap)
	}
	return tableOf(t, b.String())
}

func tableOf(t testing.TB, csv string) *data.Frame {
	t.Helper()
	f, err := data.ReadBytes(t.Context(), "t.csv", []byte(csv))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// proposed is how to train on a table of text.
func proposed(t testing.TB, csv, target string) *Proposal {
	t.Helper()
	p, err := Make(t.Context(), tableOf(t, csv), check.Roles{Target: target}, data.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMake_Commands(t *testing.T) {
	p, err := Make(t.Context(), messy(t), check.Roles{Target: "paid"}, data.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"row_id": "numbers the rows", "name": "identifier", "income_again": "copy of \"income\"",
		"paid_copy":  "determined by whether the column holds",
		"settled_on": "filled in after the outcome", "tells": "AUC 1.0000", "note": "different strings", "gap": "66 %"}
	var drops []string
	for name, why := range want {
		drops = append(drops, name)
		i := slices.IndexFunc(p.Findings, func(f check.Finding) bool { return f.Column == name })
		if i < 0 || !strings.Contains(p.Findings[i].Evidence, why) {
			t.Errorf("%s: %+v", name, p.Findings)
		}
	}
	slices.Sort(drops)
	if got := slices.Sorted(slices.Values(p.Drop)); !slices.Equal(got, drops) {
		t.Errorf("left out %q, want %q", got, drops)
	}
	if p.Task != encode.Binary || p.Impute != "" || p.Filter != "" {
		t.Errorf("%+v", p)
	}
	if _, err := Make(t.Context(), messy(t), check.Roles{Target: "piad"}, data.Reading{}); err == nil {
		t.Error("a target that is not there")
	}
	// What is left trains.
	f := messy(t)
	if _, err := encode.NewEncoder(t.Context(), f, nil, encode.Spec{Target: "paid", Drop: p.Drop}); err != nil {
		t.Error(err)
	}
}

// A quantity: an exact function of it tells it, noise does not.
func TestPower_FindsExactFunctionsAlone(t *testing.T) {
	var ys, square, noise []float64
	for i := range 400 {
		y := float64(i*37%400) + 0.5
		ys = append(ys, y)
		square, noise = append(square, y*y), append(noise, float64(i*i%19))
	}
	if p := predictivePower(square, ys, false); p < 1-1e-9 {
		t.Errorf("a function of the target: %v", p)
	}
	if p := predictivePower(noise, ys, false); p > 0.1 {
		t.Errorf("noise: %v", p)
	}
	// AUC of n ≤ 6, counted by hand: of the pairs (1; 0) four of six are in
	// order, one is tied; 4 of 5 agree where chance gives 0.52.
	if a := auc(spearman.Ranks([]float64{1, 2, 2, 3, 0}), []float64{0, 1, 0, 1, 1}); !(math.Abs(a-3.5/6) <= 1e-12) {
		t.Errorf("AUC %v", a)
	}
	if w := sharedWord("isViolentRecid", "two_year_recid"); w != "recid" {
		t.Errorf("%q", w)
	}
}

// What stands out is counted: in how many rows, and which is the first, from one.
func TestMake_FindingsAreCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString("y,odd value,gap,mostly,const,none,when,copied,again,many\n")
	for i := range 130 {
		y, odd, gap, mostly := fmt.Sprint(i*37%101), fmt.Sprint(i*i%11), fmt.Sprint(i*i*i%7), ""
		if i == 8 || i == 90 {
			y = ""
		}
		if i == 5 || i == 60 || i == 61 {
			odd = []string{"inf", "-inf", "Infinity"}[i%3]
		}
		if i%10 == 3 {
			gap = ""
		}
		if i%5 == 4 {
			mostly = fmt.Sprint(i * 3 % 8)
		}
		copied := ""
		if i > 1 {
			copied = fmt.Sprint(i * 13 % 17)
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s,4,,2024-01-%02d,%s,%s,%s\n", y, odd, gap, mostly, 1+i%28, copied, copied,
			fmt.Sprint("k", i%55))
	}
	p := proposed(t, b.String(), "y")
	want := map[string]check.Finding{ // one per column
		"y": {What: check.Missing, Severity: check.Note, Column: "y", Rows: 2, First: 9,
			Evidence: "the target is missing", Proposal: "rows without a target are left out"},
		"odd value": {What: check.NotFinite, Severity: check.Note, Column: "odd value", Rows: 3, First: 6,
			Evidence: "some values are not finite", Proposal: "rows with values that are not finite are left out"},
		"gap": {What: check.Missing, Severity: check.Note, Column: "gap", Rows: 13, First: 4,
			Evidence: "some values are missing", Proposal: Filled},
		"mostly": {What: check.Missing, Severity: check.Note, Column: "mostly", Rows: 104, First: 1,
			Evidence: "the column is missing in 80 % of the rows", Proposal: "left out"},
		"const": {What: check.Constant, Severity: check.Note, Column: "const", Rows: 0, First: 0,
			Evidence: "the column has at most one distinct value", Proposal: "not used for training"},
		"none": {What: check.Constant, Severity: check.Note, Column: "none", Rows: 0, First: 0,
			Evidence: "the column has at most one distinct value", Proposal: "not used for training"},
		"copied": {What: check.Missing, Severity: check.Note, Column: "copied", Rows: 2, First: 1,
			Evidence: "some values are missing", Proposal: Filled},
		"again": {What: check.Copy, Severity: check.Note, Column: "again", Rows: 0, First: 0,
			Evidence: "the column is a copy of \"copied\"", Proposal: "left out"},
	}
	for _, got := range p.Findings {
		if got.Column == "when" {
			continue
		}
		if !reflect.DeepEqual(got, want[got.Column]) {
			t.Errorf("%+v, want %+v", got, want[got.Column])
		}
		delete(want, got.Column)
	}
	for _, w := range want {
		t.Errorf("not found: %+v", w)
	}
	if p.Task != encode.Regression || p.Impute != "median" || p.MinCount != 0 ||
		p.Filter != "y is not null && (`odd value` is null || `odd value` > -1e300 && `odd value` < 1e300)" {
		t.Errorf("%+v", p)
	}
	kept := tableOf(t, b.String())
	if rows, err := kept.Filter(t.Context(), p.Filter); err != nil || len(rows) != 130-2-3 {
		t.Errorf("the filter leaves %d rows, %v", len(rows), err)
	}
}

// Names are what they are in the condition that is proposed.
func TestMake_NamesInConditions(t *testing.T) {
	for _, column := range []string{"y", "not", "a`b", "z z", "é\u200f"} {
		y := data.Column{Name: column, Kind: data.Categorical, Level: []string{"a", "b", "c"}, Code: make([]int32, 60),
			Null: make([]bool, 60)}
		x := data.Column{Name: "x", Kind: data.Numeric, Number: make([]float64, 60)}
		for i := range 60 {
			y.Code[i], x.Number[i], y.Null[i] = []int32{0, 0, 0, 1, 1, 2}[i%6], float64(i*i%17), i%6 == 5
		}
		f, err := data.NewFrame(y, x)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Make(t.Context(), f, check.Roles{Target: column}, data.Reading{})
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := f.Filter(t.Context(), p.Filter); err != nil || len(rows) != 50 {
			t.Errorf("%s leaves %d rows: %v", p.Filter, len(rows), err)
		}
	}
}

// A target of several texts is one of classes; one value is no target.
func TestMake_Targets(t *testing.T) {
	text := "y,x\n"
	for i := range 60 {
		text += fmt.Sprintf("%s,%d\n", []string{"b", "a", "a", "c", "b", "a"}[i%6], i*i%17)
	}
	f := tableOf(t, text)
	p, err := Make(t.Context(), f, check.Roles{Target: "y"}, data.Reading{})
	if err != nil || p.Task != encode.Multiclass || p.Filter != "" || len(p.Findings) != 0 {
		t.Errorf("%+v, %v", p, err)
	}
	for name, text := range map[string]string{"only one value": "y,x\n1,2\n1,3\n", "target": "y,x\n,2\n,3\n"} {
		f := tableOf(t, text)
		if _, err := Make(t.Context(), f, check.Roles{Target: "y"}, data.Reading{}); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A table of patients: dates that come after the first, counts that only rise beside amounts that are
// all different.
func TestMake_KnownAfterwards(t *testing.T) {
	var b strings.Builder
	b.WriteString("admitted;birth;seen_again;checked;left_on;time;visit;weight;observed\n")
	day := func(n int) string { return fmt.Sprintf("%d.%d.%d", 1+n%28, 1+n/28%12, 2015+n/336) }
	for i := range 400 {
		dead := i*i*31/17%10 < 4
		in := i * 37 % 600
		again, until := in-30, 300+i*17%600 // seen before, unless dead
		if dead {
			again, until = in+20+i%50, 100+i*13%500
		}
		fmt.Fprintf(&b, "%s;%s;%s;%s;%s;%d;%d;%d;%v\n", day(in+100), fmt.Sprintf("%d.%d.%d", 1+i%28, 1+i%12, 1950+i*31%50),
			day(again+100), day(in+100+i%20), day(in+100+until), until,
			5*i, 50000+i*7919%401*100, dead)
	}
	f, err := data.Open(t.Context(), write(t, b.String()), data.Reading{Dates: "number"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Make(t.Context(), f, check.Roles{Target: "observed"}, data.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{"seen_again": `more than a week after "admitted"`, "visit": "numbers the rows"}
	for name, part := range why {
		if i := slices.IndexFunc(p.Findings, func(f check.Finding) bool {
			return f.Column == name &&
				strings.Contains(f.Evidence, part)
		}); i < 0 || p.Findings[i].First != 0 {
			t.Errorf("%s: %+v", name, p.Findings)
		}
	}
	if len(p.Drop) != len(why) || p.Reading.Dates != "parts" {
		t.Errorf("left out %q, dates %q", p.Drop, p.Reading.Dates)
	}
	// What is left trains, with the dates taken apart: they are named as one.
	if f, err = data.Open(t.Context(), write(t, b.String()), p.Reading); err != nil {
		t.Fatal(err)
	}
	e, err := encode.NewEncoder(t.Context(), f, nil, encode.Spec{Target: "observed", Drop: p.Drop})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range e.Inputs {
		if strings.HasPrefix(in.Name, "seen_again") {
			t.Errorf("%s was to be left out", in.Name)
		}
	}
	if e, err = encode.NewEncoder(t.Context(), f, nil,
		encode.Spec{Target: "observed", Features: []string{"weight", "birth"}}); err != nil || len(e.Inputs) != 4 {
		t.Errorf("a date as a feature: %+v, %v", e, err)
	}
}

// The parts of a total tell it together.
func TestMake_Sums(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,b,c,d,total\n")
	for i := range 300 {
		x, y, z, w := i*7919%211, i*104729%197, i*1299709%89, i*15485863%151
		fmt.Fprintf(&b, "%d,%d,%d,%d,%d\n", x, y, z, w, x+2*y-z)
	}
	p := proposed(t, b.String(), "total")
	slices.Sort(p.Drop)
	if !slices.Equal(p.Drop, []string{"a", "b", "c"}) {
		t.Errorf("left out %q", p.Drop)
	}
	for _, f := range p.Findings {
		if f.Rows != 0 || f.First != 0 { // of no rows in particular
			t.Errorf("%+v", f)
		}
	}
	if p := proposed(t, b.String(), "d"); len(p.Drop) > 0 {
		t.Errorf("nothing makes d: %q", p.Drop)
	}
}

func write(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A number that stands for none is told, and what makes it missing; one among other
// numbers below 0 is a number.
func TestMake_MissingCodes(t *testing.T) {
	var b strings.Builder
	b.WriteString("y,age,level\n")
	for i := range 120 {
		age, level := 20+i%31, i%7-3
		if i%10 == 4 {
			age = -999
		}
		if i == 60 {
			level = -9
		}
		fmt.Fprintf(&b, "%d,%d,%d\n", i*7919%2, age, level)
	}
	p := proposed(t, b.String(), "y")
	if len(p.Findings) != 1 || p.Findings[0].Column != "age" || p.Findings[0].Rows != 12 || p.Findings[0].First != 5 ||
		p.Findings[0].What != check.Sentinel {
		t.Errorf("found %+v", p.Findings)
	}
}

// Other spellings of two labels become one, so that rows of both classes are left; labels
// that would all become one stay.
func TestSpellings_OfOneLevelAreNamed(t *testing.T) {
	for _, c := range []struct {
		counts map[string]int
		want   string
		rows   int
	}{
		{map[string]int{"<=50K": 9, "<=50K.": 5, ">50K": 3, ">50K.": 1}, "map[<=50K.:<=50K >50K.:>50K]", 6},
		{map[string]int{"No": 4, "yes": 2, "Yes": 3, "no": 4}, "map[no:No yes:Yes]", 6},
		{map[string]int{"a": 1, "A": 1, "a.": 1}, "map[]", 0},
		{map[string]int{"a": 5, "A": 1}, "map[]", 0},
		{map[string]int{"1.5": 5, "15": 1, "2": 1}, "map[]", 0},
	} {
		same, rows := findOtherSpellings(c.counts)
		if fmt.Sprint(same) != c.want || rows != c.rows {
			t.Errorf("%v: %v in %d rows, want %s in %d", c.counts, same, rows, c.want, c.rows)
		}
	}
}

// A category tells what the means of its levels do, however many rows a level has.
func TestPower_Categories(t *testing.T) {
	tr := &targetValues{binary: true}
	c := &data.Column{Kind: data.Categorical, Level: []string{"half", "all", "none"}}
	for i := range 240 {
		y, code := float64(i/2%2), int32(0)
		if i >= 200 {
			code = 1 + int32(i/2%2)
			y = float64(2 - code)
		}
		tr.rows, tr.y, c.Code = append(tr.rows, i), append(tr.y, y), append(c.Code, code)
	}
	// Of the pairs of a one and a zero: 100 · 100 are ties but for the half of the rows that
	// means are of, those of the level "all" above, those of "none" below all others.
	want := (0.5*100*100 + 20*100 + 100*20 + 20*20) / (120 * 120)
	if p := predictivePower(tr.columnScores(c), tr.y, true); !(math.Abs(p-want) <= 0.02) {
		t.Errorf("%v, not about %v", p, want)
	}
}

// Numbers that a float64 cannot hold are distinguished by their digits: an identifier has a different value in every
// row, and another identifier is not its copy.
func TestMake_LargeIdentifiers(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,other_id,x,y\n")
	for i := range 200 {
		id := 9007199254740993 + i
		fmt.Fprintf(&b, "%d,%d,%d,%d\n", id, id^1, i%7, i%2)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := data.Open(t.Context(), path, data.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := Make(t.Context(), f, check.Roles{Target: "y"}, data.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Drop, []string{"id", "other_id"}) || p.GroupHoldout != "" {
		t.Errorf("dropped %q, units %q", p.Drop, p.GroupHoldout)
	}
	for _, found := range p.Findings {
		if found.What == check.Index && !strings.Contains(found.Evidence, "every row has a different value") {
			t.Error(found.Evidence)
		}
		if found.What == check.Copy {
			t.Error(found.Evidence)
		}
	}
}
