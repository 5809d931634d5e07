package datasets

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
)

func TestList_AgreesWithFiles(t *testing.T) {
	for _, info := range List() {
		f, err := Open(Prefix + info.Name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Rows != info.Rows || len(f.Columns) != info.Columns {
			t.Errorf("%s: %d × %d, the list says %d × %d", info.Name, f.Rows, len(f.Columns), info.Rows, info.Columns)
		}
		if s := f.Sources; len(s) != 1 || s[0].Path != Prefix+info.Name || len(s[0].SHA256) != 64 || s[0].Rows != f.Rows {
			t.Errorf("%s: sources %+v", info.Name, s)
		}
		for _, name := range append([]string{info.Target}, info.Groups...) {
			if _, err := f.Column(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
		card, err := Card(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Columns {
			if !strings.Contains(card, "| "+c.Name+" |") {
				t.Errorf("%s: the card does not tell of column %s", info.Name, c.Name)
			}
			if c.Null != nil && (info.Name != "loans-next" || c.Name != info.Target) {
				t.Errorf("%s: column %s has nulls", info.Name, c.Name)
			}
		}
		for _, word := range []string{"**Source.**", "**Licence.**", "**How it was made.**"} {
			if !strings.Contains(card, word) {
				t.Errorf("%s: the card lacks %s", info.Name, word)
			}
		}
		if target, _ := f.Column(t.Context(), info.Target); target.Null != nil {
			continue
		}
		e, err := encode.NewEncoder(t.Context(), f, nil, encode.Spec{Target: info.Target, Groups: info.Groups})
		if err != nil {
			t.Fatal(err)
		}
		if e.Target.Task != info.Task {
			t.Errorf("%s: task %q, the list says %q", info.Name, e.Target.Task, info.Task)
		}
	}
}

// Facts that do not come from our own writer: counts and means of the CSV
// files, computed apart.
func TestFacts_AreThoseOfTheFiles(t *testing.T) {
	count := func(f *data.Frame, column, level string) (n int) {
		c, err := f.Column(t.Context(), column)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < f.Rows; i++ {
			if c.Text(i) == level {
				n++
			}
		}
		return n
	}
	cps, err := Open("cps1988")
	if err != nil {
		t.Fatal(err)
	}
	hmda, err := Open("hmda")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f             *data.Frame
		column, level string
		want          int
	}{
		{cps, "ethnicity", "afam", 2232}, {cps, "region", "south", 8760}, {cps, "parttime", "yes", 2524},
		{cps, "smsa", "yes", 20932},
		{hmda, "deny", "yes", 285}, {hmda, "afam", "yes", 339}, {hmda, "single", "yes", 936},
	} {
		if got := count(c.f, c.column, c.level); got != c.want {
			t.Errorf("%s = %s: %d rows, want %d", c.column, c.level, got, c.want)
		}
	}
	wage, _ := cps.Column(t.Context(), "wage")
	var sum float64
	for _, w := range wage.Number {
		sum += w
	}
	if mean := sum / float64(cps.Rows); !(math.Abs(mean-603.7267) <= 1e-3) {
		t.Errorf("mean wage %v", mean)
	}
	if wage.Number[0] != 354.94 || wage.Number[1] != 123.46 {
		t.Errorf("first wages %v", wage.Number[:2])
	}
}

func TestTables_EqualTheirCSV(t *testing.T) {
	for _, info := range List() {
		if strings.HasPrefix(info.Name, "loans") {
			continue // simulated
		}
		g, err := data.Read(context.Background(), "../../shared/datasets/"+info.Name+".csv")
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("the CSV files are not here")
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range f.Columns {
			d := g.Columns[i]
			if c.Name != d.Name || c.Kind != d.Kind || !reflect.DeepEqual(c.Number, d.Number) ||
				!reflect.DeepEqual(c.Code, d.Code) || !reflect.DeepEqual(c.Level, d.Level) {
				t.Errorf("%s: column %s is not that of the CSV file", info.Name, c.Name)
			}
		}
	}
}

// What the cards of loans and loans-next say: the south has a slope of its own, incomes grow, a purpose is
// recoded, the west denies more, and the last outcomes are missing.
func TestLoans_Mechanism(t *testing.T) {
	type table struct{ deny, debt, income, purpose, region *data.Column }
	read := func(name string) table {
		f, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		column := func(name string) *data.Column {
			c, err := f.Column(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		return table{column("deny"), column("debt_ratio"), column("income"), column("purpose"), column("region")}
	}
	// rate returns the proportion of denials in a region among the rows with a debt ratio of at least least.
	rate := func(x table, region string, least float64) float64 {
		n, denied := 0.0, 0.0
		for i := range x.debt.Number {
			if x.region.Text(i) == region && x.debt.Number[i] >= least && !x.deny.IsNull(i) {
				n++
				if x.deny.Text(i) == "yes" {
					denied++
				}
			}
		}
		return denied / n
	}
	median := func(x []float64) float64 {
		y := slices.Clone(x)
		slices.Sort(y)
		return y[len(y)/2]
	}
	first, next := read("loans"), read("loans-next")
	if south, north := rate(first, "south", 0.5), rate(first, "north", 0.5); south < north+0.1 {
		t.Errorf("with high debts the south denies %v, the north %v", south, north)
	}
	if south, north := rate(first, "south", 0), rate(first, "north", 0); math.Abs(south-north) > 0.1 {
		t.Errorf("the south denies %v, the north %v", south, north)
	}
	if a, b := rate(first, "west", 0), rate(next, "west", 0); b < a+0.25 {
		t.Errorf("the west denies %v, then %v", a, b)
	}
	if a, b := rate(first, "north", 0), rate(next, "north", 0); math.Abs(b-a) > 0.06 {
		t.Errorf("the north denies %v, then %v", a, b)
	}
	if growth := median(next.income.Number) / median(first.income.Number); math.Abs(growth-math.Exp(0.3)) > 0.05 {
		t.Errorf("incomes grow by a factor of %v", growth)
	}
	if slices.Contains(next.purpose.Level, "education") || !slices.Contains(next.purpose.Level, "studies") {
		t.Errorf("purposes %q", next.purpose.Level)
	}
	for i := range 1000 {
		if next.deny.IsNull(i) != (i >= 960) {
			t.Fatalf("row %d: missing %v", i+1, next.deny.IsNull(i))
		}
	}
}

func TestOpen_RefusesUnknownNames(t *testing.T) {
	for name, want := range map[string]string{"builtin:cps1989": "did you mean cps1988?", "hdma": "did you mean hmda?",
		"zzz": "there are cps1988, digits, hmda, loans and loans-next"} {
		_, err := Open(name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): %v, want %q in it", name, err, want)
		}
		if _, err2 := Bytes(name); err2 == nil || err2.Error() != err.Error() {
			t.Errorf("Bytes(%q): %v", name, err2)
		}
	}
}

func TestBytes_IsACopy(t *testing.T) {
	b, err := Bytes("hmda")
	if err != nil {
		t.Fatal(err)
	}
	clear(b)
	again, _ := Bytes("hmda")
	if bytes.Equal(b, again) || !bytes.HasPrefix(again, []byte("PAR1")) {
		t.Error("Bytes hands out the embedded bytes themselves")
	}
}
