package train

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
)

func priced(t testing.TB, name string, nu float64) Config {
	cfg := builtin(t, name)
	cfg.Nu = &nu
	return cfg
}

// Training on listed rows equals training on a table of these rows.
func TestRows_EqualTableOfTheRows(t *testing.T) {
	cfg := priced(t, "hmda", 1)
	cfg.Gap = 1e-10
	frame := openTable(t, cfg.Data)
	split := fit(t, cfg)
	cfg.Rows = &RowSet{Train: split.Run.Train.Rows, Holdout: split.Run.Holdout.Rows}
	given := fitFrame(t, frame, cfg)
	if !(math.Abs(given.Result.Objective/split.Result.Objective-1) <= 1e-9) || given.TrainRows != split.TrainRows ||
		given.HoldoutRows != split.HoldoutRows {
		t.Errorf("objective %v, by the split %v", given.Result.Objective, split.Result.Objective)
	}
	// Half of the rows, against a table that holds only these.
	var half []int
	for i := 0; i < frame.Rows; i += 2 {
		half = append(half, i)
	}
	cfg.Rows = &RowSet{Train: half}
	some := fitFrame(t, frame, cfg)
	var columns []data.Column
	for _, name := range frame.Names() {
		c, err := frame.Column(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		out := data.Column{Name: c.Name, Type: c.Type, Kind: c.Kind, Level: c.Level}
		for _, r := range half {
			if c.Kind == data.Categorical {
				out.Code = append(out.Code, c.Code[r])
			} else {
				out.Number = append(out.Number, c.Number[r])
			}
		}
		columns = append(columns, out)
	}
	table := newFrame(t, columns...)
	cfg.Rows, cfg.Holdout = nil, 0
	alone := fitFrame(t, table, cfg)
	if !(math.Abs(some.Result.Objective/alone.Result.Objective-1) <= 1e-9) || some.HoldoutRows != 0 {
		t.Errorf("objective %v, of the rows alone %v", some.Result.Objective, alone.Result.Objective)
	}
	for _, bad := range []RowSet{{}, {Train: []int{-1}}, {Train: []int{frame.Rows}}, {Train: []int{1, 2, 1}},
		{Train: []int{1, 2}, Holdout: []int{2}}} {
		cfg.Rows = &bad
		if _, err := FitFrame(t.Context(), frame, cfg); err == nil {
			t.Errorf("rows %+v: accepted", bad)
		}
	}
	// A loaded model does not guess which rows it was trained on.
	var b bytes.Buffer
	if _, err := some.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	loaded := readModel(t, &b)
	if err := loaded.Rerun(t.Context(), frame); err == nil ||
		!strings.Contains(err.Error(), "another program chose the training rows") {
		t.Errorf("rerun: %v", err)
	}
	if !slices.Equal(slices.Sorted(slices.Values(some.Run.Train.Rows)), half) {
		t.Error("other rows were trained on")
	}
}

// With NoBaseline there is only the robust model, and all functions work with it.
func TestFit_WithoutBaseline(t *testing.T) {
	cfg := priced(t, "hmda", 1)
	with := fit(t, cfg)
	cfg.NoBaseline = true
	m := fit(t, cfg)
	if m.Baseline != nil || m.GroupWeighted != nil || m.Result.ERM != nil || m.Result.Objective != with.Result.Objective {
		t.Errorf("%+v", m.Result)
	}
	for _, c := range m.Explain() {
		if c.Baseline != nil {
			t.Errorf("%s has a baseline", c.Name)
		}
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	loaded := readModel(t, &b)
	if _, err := loaded.Predict(t.Context(), m.Run.Frame); err != nil {
		t.Error(err)
	}
	if _, _, err := loaded.Variant(VariantERM); err == nil {
		t.Error("a baseline that is not there predicts")
	}
	cfg.Nu = nil
	if _, err := Fit(t.Context(), cfg); err == nil {
		t.Error("a level was chosen without the plain average to start from")
	}
}

// A note lists groups that have hold-out rows but no training rows.
func TestFit_NotesUntrainedGroups(t *testing.T) {
	cfg := priced(t, "hmda", 1)
	cfg.Groups = []string{"afam", "hschool"}
	whole := fit(t, cfg)
	if notes := strings.Join(whole.Notes, "\n"); strings.Contains(notes, "without a training row") {
		t.Errorf("every group was trained on: %s", notes)
	}
	frame := openTable(t, cfg.Data)
	column, err := frame.Lookup("afam")
	if err != nil {
		t.Fatal(err)
	}
	if column, err = column.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	cfg.Rows = &RowSet{}
	for row := range frame.Rows {
		if column.Text(row) == "yes" || row%5 == 0 {
			cfg.Rows.Holdout = append(cfg.Rows.Holdout, row)
		} else {
			cfg.Rows.Train = append(cfg.Rows.Train, row)
		}
	}
	m := fitFrame(t, frame, cfg)
	for _, want := range []string{
		`1 group of afam has no training rows, so training cannot protect it: "afam=yes"`,
		`2 groups of afam × hschool have no training rows, so training cannot protect them: `,
	} {
		if !slices.ContainsFunc(m.Notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("no note %q in %q", want, m.Notes)
		}
	}
}
