package propose

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
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
		fmt.Fprintf(&b, "%d,Person %d,%v,%d,%d,%d,%v,%s,%v,%s,%s,x%d,%s,1\n", 1000+i, i, paid, age, age*age%97, age*age%97, copied, settled, tells,
			[]string{"a", "b"}[i%2], strings.Repeat("z", i%150), i%9, gap)
	}
	f, err := data.ReadBytes(context.Background(), "t.csv", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestMake(t *testing.T) {
	p, err := Make(t.Context(), messy(t), "paid", data.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"row_id": "identifier", "name": "identifier", "income_again": "copy of \"income\"", "paid_copy": "nearly a copy of the target",
		"settled_on": "filled in afterwards", "tells": "an AUC of 1.0000", "final_state": "known only afterwards", "note": "different texts", "gap": "66 %"}
	var drops []string
	for name, why := range want {
		drops = append(drops, name)
		i := slices.IndexFunc(p.Findings, func(f Finding) bool { return f.Column == name })
		if i < 0 || !strings.Contains(p.Findings[i].What, why) {
			t.Errorf("%s: %+v", name, p.Findings)
		}
	}
	slices.Sort(drops)
	if got := slices.Sorted(slices.Values(p.Drop)); !slices.Equal(got, drops) {
		t.Errorf("left out %q, want %q", got, drops)
	}
	if p.Task != data.Binary || p.Impute != "" || p.Filter != "" {
		t.Errorf("%+v", p)
	}
	if _, err := Make(t.Context(), messy(t), "piad", data.Reading{}); err == nil {
		t.Error("a target that is not there")
	}
	// What is left trains.
	f := messy(t)
	if _, err := data.NewEncoder(t.Context(), f, nil, data.Spec{Target: "paid", Drop: p.Drop}); err != nil {
		t.Error(err)
	}
}

// A quantity: an exact function of it tells it, noise does not.
func TestPower(t *testing.T) {
	tr := &truth{}
	var square, noise []float64
	for i := range 400 {
		y := float64(i*37%400) + 0.5
		tr.rows, tr.y = append(tr.rows, i), append(tr.y, y)
		square, noise = append(square, y*y), append(noise, float64(i*i%19))
	}
	if p := tr.power(square); p < 1-1e-9 {
		t.Errorf("a function of the target: %v", p)
	}
	if p := tr.power(noise); p > 0.1 {
		t.Errorf("noise: %v", p)
	}
	// AUC and kappa of n ≤ 6, counted by hand: of the pairs (1; 0) four of six are in
	// order, one is tied; 4 of 5 agree where chance gives 0.52.
	if a := auc(ranks([]float64{1, 2, 2, 3, 0}), []float64{0, 1, 0, 1, 1}); math.Abs(a-3.5/6) > 1e-12 {
		t.Errorf("AUC %v", a)
	}
	if k := agreement([]float64{1, 1, 0, 0, 1}, []float64{1, 1, 0, 0, 0}); math.Abs(k-(0.8-0.48)/0.52) > 1e-12 {
		t.Errorf("kappa %v", k)
	}
	if w := alike("isViolentRecid", "two_year_recid"); w != "recid" {
		t.Errorf("%q", w)
	}
}
