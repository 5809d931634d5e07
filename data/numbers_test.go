package data

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/csv"
	"github.com/drotrain/drotrain/data/frame"
	"github.com/drotrain/drotrain/data/table"
)

// A column of text that is meant as numbers is no category: the error names how to read it, and
// does not advise to leave it out.
func TestFit_TextOfNumbers(t *testing.T) {
	var b strings.Builder
	b.WriteString("income,w,y\n")
	for i := range 200 {
		fmt.Fprintf(&b, "\"%d,%03d\",%.3f,%d\n", 1+i%30, i, 0.5+float64(i)/7, i%2)
	}
	f, err := frame.ReadBytesAs(t.Context(), "t.csv", []byte(b.String()), Reading{})
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{Target: "y", Scale: "standard"}
	_, err = Fit(t.Context(), f, nil, nil, spec, "")
	var e *table.Error
	if !errors.As(err, &e) || e.Column != "income" || e.Says[table.SayThousands] != "," || len(e.Remedies) != 1 {
		t.Fatalf("got %v", err)
	}
	spec.Categorical = []string{"income"}
	spec.MinCount = 2
	if _, err = Fit(t.Context(), f, nil, nil, spec, ""); err != nil {
		t.Errorf("named as a category: %v", err)
	}
	if f, err = frame.ReadBytesAs(t.Context(), "t.csv", []byte(b.String()), Reading{Text: csv.Options{Thousands: ","}}); err != nil {
		t.Fatal(err)
	}
	spec.Categorical, spec.MinCount = nil, 0
	if _, err = Fit(t.Context(), f, nil, nil, spec, ""); err != nil {
		t.Errorf("read as advised: %v", err)
	}
}
