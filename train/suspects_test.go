package train

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// plainly trains ERM for the amount paid on a table given as text.
func plainly(t *testing.T, text string) *Model {
	t.Helper()
	f := readCSV(t, "t.csv", text)
	cfg := keepingRows()
	cfg.Target, cfg.Average, cfg.NoBaseline = "paid", "plain", false
	m := fitFrame(t, f, cfg)
	return m
}

// Columns that reveal the target and identifiers stay features, with a warning.
func TestSuspects_AreFeaturesWithAWarning(t *testing.T) {
	var b strings.Builder
	b.WriteString("paid,case_id,settled,age,load_num\n")
	for i := range 400 {
		paid := i*7919%10 < 4
		settled := i * 31 % 17
		if paid {
			settled += 100
		}
		// a measure, by its fractions
		fmt.Fprintf(&b, "%v,%d,%d,%d,%v\n", paid, 5000+i*7%400, settled, i*37%61, math.Sqrt(float64(i*7919%401+2)))
	}
	m := plainly(t, b.String())
	notes := strings.Join(m.Notes, "\n")
	for _, want := range []string{`column "settled": possible leakage: the column alone predicts the target (AUC 1.0000)`,
		`column "case_id": the column looks like an identifier`} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
	if strings.Contains(notes, `"age" `) || strings.Contains(notes, `"load_num" `) || len(m.Encoder.Inputs) != 4 {
		t.Errorf("%d inputs, notes\n%s", len(m.Encoder.Inputs), notes)
	}
}

// A first column without a name that numbers the rows is reported as an index; a column of repeated amounts is not.
func TestSuspects_IndexWithoutAName(t *testing.T) {
	var index, amounts strings.Builder
	index.WriteString(",load,paid\n")
	amounts.WriteString(",load,paid\n")
	for i := range 300 {
		rest := fmt.Sprintf("%d,%d\n", i*7919%83, i*i%7%2)
		fmt.Fprintf(&index, "%d,%s", 1000+3*i, rest)
		fmt.Fprintf(&amounts, "%d,%s", i*i%211, rest)
	}
	for text, is := range map[string]bool{index.String(): true, amounts.String(): false} {
		m := plainly(t, text)
		const want = `column "column_1": the column numbers the rows`
		if notes := strings.Join(m.Notes, "\n"); strings.Contains(notes, want) != is {
			t.Errorf("an index: %v, notes\n%s", is, notes)
		}
	}
}

// Two columns that together determine the target are reported together, and no other pair is.
func TestSuspects_PairsThatDetermineTheTarget(t *testing.T) {
	var b strings.Builder
	b.WriteString("members,guests,hour,all\n")
	for i := range 600 {
		members, guests := i*7919%211, i*104729%197
		fmt.Fprintf(&b, "%d,%d,%d,%d\n", members, guests, i%24, members+guests)
	}
	f := readCSV(t, "t.csv", b.String())
	cfg := keepingRows()
	cfg.Target, cfg.Average = "all", "plain"
	warned := func(drop ...string) string {
		cfg.Drop = drop
		warnings, _ := SplitWarnings(fitFrame(t, f, cfg).Notes)
		return strings.Join(warnings, "\n")
	}
	if w := warned(); !strings.Contains(w, `columns "members" and "guests": possible leakage`) || strings.Contains(w,
		`"hour"`) {
		t.Errorf("%q", w)
	}
	if w := warned("members"); w != "" {
		t.Errorf("half of it: %q", w)
	}
}
