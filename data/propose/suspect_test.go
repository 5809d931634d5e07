package propose

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// A column is suspected where its AUC is above the limit, and not at it: of 20 rows of either
// class a pair in the wrong order takes 1/400 from it, and two make .995.
func TestSuspects_AboveTheLimit(t *testing.T) {
	for _, c := range []struct {
		wrong     int // pairs
		suspected bool
	}{{0, true}, {1, true}, {2, false}, {3, false}} {
		for _, turned := range []bool{false, true} {
			var text strings.Builder
			text.WriteString("y,x,z\n")
			for i := range 40 {
				at := i
				if turned {
					at = 39 - i
				}
				if i == 20 { // the lowest positive goes below as many negatives
					at = 20 - c.wrong
				} else if i >= 20-c.wrong && i < 20 {
					at = i + 1
				}
				if turned && (i == 20 || i >= 20-c.wrong && i < 20) {
					at = 39 - at
				}
				fmt.Fprintf(&text, "%v,%d.5,%d\n", i >= 20, at, i*7%5)
			}
			f, err := data.ReadBytes(t.Context(), "t.csv", []byte(text.String()))
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := data.Fit(t.Context(), f, nil, nil, data.Spec{Target: "y", Intercept: true}, data.Sink{Storage: data.Float64})
			if err != nil {
				t.Fatal(err)
			}
			warnings := FindSuspects(fitted.Encoder, fitted.Train)
			if (len(warnings) == 1 && strings.Contains(warnings[0], `"x" alone predicts the target`)) != c.suspected || len(warnings) > 1 {
				t.Errorf("%d pairs in the wrong order: %q", c.wrong, warnings)
			}
		}
	}
}

// Scores are too good above the limit, and not at it: of 20 positives and 40 negatives a pair
// in the wrong order takes 1/800 from the AUC, and four make .995.
func TestFlawless_AboveTheLimit(t *testing.T) {
	for wrong, want := range map[int]int{3: 1, 4: 0} {
		var text strings.Builder
		text.WriteString("y,x\n")
		for i := range 60 {
			at := i
			if i == 40 { // the lowest positive goes below as many negatives
				at = 40 - wrong
			} else if i >= 40-wrong && i < 40 {
				at = i + 1
			}
			fmt.Fprintf(&text, "%v,%d.5\n", i >= 40, at)
		}
		fitted, err := data.Fit(t.Context(), tableOf(t, text.String()), nil, nil, data.Spec{Target: "y"}, data.Sink{Storage: data.Float64})
		if err != nil {
			t.Fatal(err)
		}
		if said := FindPerfectColumns(fitted.Encoder, fitted.Train, []float64{1}); len(said) != want {
			t.Errorf("%d pairs in the wrong order: %q", wrong, said)
		}
	}
}

// A column of text that may be meant as numbers, nobody knows how, is not left out for its many
// values.
func TestMake_UndecidedNumbersStay(t *testing.T) {
	text := "a;y\n"
	for i := range 300 {
		text += fmt.Sprintf("%d,%03d;%d\n", 1+i%9, 100+i, i*i%7%2)
	}
	f, err := data.ReadBytes(t.Context(), "t.csv", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Make(t.Context(), f, "y", Roles{}, data.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Drop) > 0 || p.MinCount > 0 || len(p.Findings) != 1 || !strings.Contains(p.Findings[0].What, "nothing in the file shows") {
		t.Errorf("%+v", p)
	}
}
