package page

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
)

// A choice is drawn with every kind of model and the chosen one named; of nothing there is no figure.
func TestChoice_IsDrawn(t *testing.T) {
	c := &eval.Choice{Criterion: "worst group’s risk", Chosen: 1, Candidates: []eval.Candidate{
		{Family: "ERM", Name: "plain", Average: 0.2, Value: 0.9},
		{Family: "over groups", Name: "groups ν = 0.1", Average: 0.25, Value: 0.5, SE: 0.05},
		{Family: "KL over rows", Name: "rows ν = 1", Average: 0.22, Value: 0.7, SE: 0.1},
	}}
	f, ok := ChoiceFigure(c)
	if !ok {
		t.Fatal("no figure")
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"over groups", "KL over rows", "ERM", "chosen: groups ν = 0.1",
		"worst group’s risk"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the figure does not say %q", want)
		}
	}
	if a := f.Alt; !strings.Contains(a, "3 models, out of fold. ERM has 0.200 and 0.900") ||
		!strings.Contains(a, "(groups ν = 0.1) has 0.250 and 0.500") {
		t.Errorf("in words: %s", a)
	}
	for _, none := range []*eval.Choice{nil, {}, {Chosen: 3, Candidates: c.Candidates}} {
		if _, ok := ChoiceFigure(none); ok {
			t.Errorf("a figure of %+v", none)
		}
	}
}
