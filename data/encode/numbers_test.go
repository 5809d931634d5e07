package encode

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
)

// A column of text that is meant as numbers is no category: the error names how to read it, and
// does not advise to leave it out.
func TestFit_TextOfNumbers(t *testing.T) {
	var b strings.Builder
	b.WriteString("income,w,y\n")
	for i := range 200 {
		fmt.Fprintf(&b, "\"%d,%03d\",%.3f,%d\n", 1+i%30, i, 0.5+float64(i)/7, i%2)
	}
	f := readBytes(t, "t.csv", []byte(b.String()), data.Reading{})
	spec := Spec{Target: "y", Scale: "standard"}
	_, err := Fit(t.Context(), f, nil, nil, spec, Sink{Storage: ""})
	var e *data.Error
	if !errors.As(err, &e) || e.Column != "income" || e.FixValues[fix.SayThousands] != "," || len(e.Fixes) != 1 {
		t.Fatalf("got %v", err)
	}
	spec.Categorical = []string{"income"}
	spec.MinCount = 2
	if _, err := Fit(t.Context(), f, nil, nil, spec, Sink{Storage: ""}); err != nil {
		t.Errorf("named as a category: %v", err)
	}
	f = readBytes(t, "t.csv", []byte(b.String()), data.Reading{Text: data.TextOptions{Thousands: ","}})
	spec.Categorical, spec.MinCount = nil, 0
	if _, err = Fit(t.Context(), f, nil, nil, spec, Sink{Storage: ""}); err != nil {
		t.Errorf("read as advised: %v", err)
	}
}

// How the target is read is said, with the reason: whole numbers may name classes.
func TestFit_TaskIsSaid(t *testing.T) {
	for text, want := range map[string][]string{
		"x,y\n1,c\n2,a\n3,b\n4,c\n":         {"3 classes", `"a", "b" and "c"`},
		"x,y\n1,0.5\n2,1.25\n3,2\n4,0.75\n": {"is treated as a quantity", "numeric and has more than two values"},
		"x,y\n1,0\n2,1\n3,0\n4,1\n":         {"the positive class is “1”"},
	} {
		f := readBytes(t, "t.csv", []byte(text), data.Reading{})
		fitted := fitRows(t, f, nil, nil, Spec{Target: "y"}, Sink{Storage: ""})
		notes := strings.Join(fitted.Encoder.Notes, "\n")
		for _, part := range want {
			if !strings.Contains(notes, part) {
				t.Errorf("%q: %q does not hold %q", text, notes, part)
			}
		}
	}
}
