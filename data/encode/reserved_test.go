package encode

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Nulls, the text (missing) and the text (other) are three levels and three groups.
func TestLabels_Reserved(t *testing.T) {
	const rows = "y,c\n0,(missing)\n1,\n0,(other)\n1,a\n1,(missing)\n0,\n1,(other)\n0,a\n1,\"\"\"(missing)\"\"\"\n"
	f := frameOf(t, rows)
	fitted := fitRows(t, f, nil, nil, Spec{Target: "y", Groups: []string{"c"}, GroupFeatures: true}, Sink{})
	want := []string{`""(missing)""`, `"(missing)"`, `"(other)"`, "a", MissingLabel}
	for name, got := range map[string][]string{"groups": fitted.Train.Groups[0].Labels,
		"levels": fitted.Encoder.Inputs[0].Labels()} {
		slices.Sort(got[:len(got)-1])
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, column := range want {
		if !slices.Contains(fitted.Train.Names, "c="+column) {
			t.Errorf("no column of %s among %q", column, fitted.Train.Names)
		}
	}
	if g := fitted.Train.Groups[0]; g.Index[0] == g.Index[1] || g.Index[0] != g.Index[4] || g.Index[1] != g.Index[5] {
		t.Errorf("groups %v", g.Index)
	}
}

// A frequent level (other) is not the one that rare levels are merged into.
func TestLabels_OtherBesideRareLevels(t *testing.T) {
	f := frameOf(t, "y,c\n"+strings.Repeat("0,(other)\n1,a\n", 6)+"1,b\n0,d\n")
	in := fitRows(t, f, nil, nil, Spec{Target: "y", MinCount: 3}, Sink{}).Encoder.Inputs[0]
	if want := []string{`"(other)"`, "a", otherLabel}; !slices.Equal(in.Labels(), want) {
		t.Errorf("%q, want %q", in.Labels(), want)
	}
}

// An index that pandas stored is no feature unless it is named.
func TestFeatures_PandasIndex(t *testing.T) {
	f := openFrame(t, filepath.Join("..", "testdata", "people", "pandas_index.parquet"))
	const index = "__index_level_0__"
	if c, err := f.Lookup(index); err != nil || !c.Index {
		t.Fatalf("%+v, %v", c, err)
	}
	e, err := NewEncoder(t.Context(), f, nil, Spec{Target: "amount", Task: Regression, Features: nil,
		Drop: []string{"when", "took", "gap", "size", "city"}, Impute: "mean"})
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(e.Inputs, func(in Input) bool { return in.Name == index }) ||
		!strings.Contains(strings.Join(e.Notes, "\n"), index) {
		t.Errorf("inputs %+v, notes %q", e.Inputs, e.Notes)
	}
	if e, err = NewEncoder(t.Context(), f, nil, Spec{Target: "amount", Task: Regression,
		Features: []string{index}}); err != nil || len(e.Inputs) != 1 {
		t.Errorf("%+v, %v", e, err)
	}
}
