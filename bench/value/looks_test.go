package value

import (
	"bytes"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/tune"
)

// Every kind of table that is looked at has rows of its laws, both classes where there are two,
// and the same again by the same seed; the page counts what was found, and of three laws how
// often both.
func TestLooks(t *testing.T) {
	seen := map[string]bool{}
	var rows []Row
	for _, k := range Looks() {
		if seen[k.Name] {
			t.Errorf("two kinds are called %q", k.Name)
		}
		seen[k.Name] = true
		found := &tune.Subgroup{Found: k.Laws > 1, Shares: []float64{0.1}}
		rows = append(rows, Row{Table: k.Name, Model: Looked, Seed: 7, Subgroup: found}, Row{Table: k.Name, Model: Looked, Seed: 8})
		if k.Laws == 3 {
			rows = append(rows, Row{Table: k.Name, Model: Looked, Seed: 9, Subgroup: &tune.Subgroup{Found: true, Shares: []float64{0.1, 0.1}}})
		}
		a, of := k.table(5)
		b, _ := k.table(5)
		c, _ := k.table(6)
		if k.Laws > 1 && (len(of.other) != len(of.common) || of.share != k.Share) {
			t.Errorf("%s: %+v", k.Name, of)
		}
		if a.N != len(a.Target) || a.Target[3] != b.Target[3] || k.Rows > 0 && a.N != k.Rows || a.N == c.N && k.Rows == 0 {
			t.Errorf("%s: %d, %d and %d rows", k.Name, a.N, b.N, c.N)
		}
		high := 0
		for _, v := range a.Target {
			if v > 0 {
				high++
			}
			if k.Classes && v != 1 && v != -1 {
				t.Fatalf("%s: a class %v", k.Name, v)
			}
		}
		if high < a.N/50 || high > a.N-a.N/50 {
			t.Errorf("%s: %d of %d targets above 0", k.Name, high, a.N)
		}
	}
	var b bytes.Buffer
	if err := Write(&b, nil, rows, 1); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"drawn by the seeds 7 to 9", "| numbers: skewed noise | 0 | 2 |\n", "| all | 0 | 50 |\n",
		"| numbers | 500 rows | 2000 rows | 8000 rows |\n", "| 2 laws, 5 %, apart by 1 | 1 of 2 | 1 of 2 | 1 of 2 |\n", "| 3 laws, 20 % each, apart by 2 | 2 (1) of 3 | 2 (1) of 3 | 2 (1) of 3 |\n",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is not in the page:\n%s", line, b.String())
		}
	}
}

// A look finds two laws where there are two, and says of which table.
func TestALook(t *testing.T) {
	for _, k := range Looks() {
		if k.Name != "2 laws, numbers: 20 % at 2, 500 rows" {
			continue
		}
		r, err := k.Measure(t.Context(), 1, tune.DefaultOptions())
		if err != nil || r.Table != k.Name || r.Model != Looked || r.Seed != 1 || !r.Subgroup.Found || len(r.Subgroup.Shares) != 1 {
			t.Errorf("%+v %+v, %v", r, r.Subgroup, err)
		}
		return
	}
	t.Error("there is no such kind")
}
