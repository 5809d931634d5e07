package data

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

const filterTable = "age,state,ok,annual income\n30,PR,true,1.5\n17,CA,false,-2\n,NY,true,3\n45,,false,0\n"

func TestFilter_KeepsTheRowsByHand(t *testing.T) {
	f := frameOf(t, filterTable)
	for text, want := range map[string]string{
		"":                                 "[0 1 2 3]",
		"age >= 18":                        "[0 3]",
		"age < 18 || age == 45":            "[1 3]",
		"!(age >= 18)":                     "[1]", // a null is neither
		`state != "PR"`:                    "[1 2]",
		`state in ("PR", 'NY')`:            "[0 2]",
		"age in (30, 45.0)":                "[0 3]",
		"age is null":                      "[2]",
		"age is not null && ok":            "[0]",
		"not ok and state is null":         "[3]",
		"ok == false":                      "[1 3]",
		"`annual income` <= -2e0":          "[1]",
		`age > 0 && (ok || state == "CA")`: "[0 1]",
		"ok || age > 0 and age < 18":       "[0 1 2]", // and before or
	} {
		rows, err := f.Filter(context.Background(), text)
		if err != nil || fmt.Sprint(rows) != want {
			t.Errorf("%s: %v, %v; want %s", text, rows, err, want)
		}
	}
	for text, part := range map[string]string{
		"age":               "comparison",
		"age >= x":          "character 8",
		"age >= 18 &&":      "incomplete",
		"state > \"A\"":     "not numeric",
		"state == 3":        "in quotes",
		"agee > 3":          `did you mean "age"`,
		"(age > 3":          `")" is missing`,
		"age > 3 )":         "character 9",
		"state == \"x":      "is missing",
		"ok == 1":           "true and false",
		"age == 1 age == 2": "unexpected ",
		"3 > age":           "expected a name",
		"age in (1,)":       "character 11",
	} {
		if _, err := f.Filter(context.Background(), text); err == nil {
			t.Errorf("%s passes", text)
		} else {
			datatest.WantError(t, err, part)
		}
	}
	train, holdout, err := f.SplitRows(context.Background(), Holdout{Filter: "ok", Fraction: 0.5, Seed: 1})
	if err != nil || len(train) != 1 || len(holdout) != 1 || train[0]+holdout[0] != 2 {
		t.Errorf("%v, %v, %v", train, holdout, err)
	}
	_, _, err = f.SplitRows(context.Background(), Holdout{Filter: "age > 100", Fraction: 0.5, Seed: 1})
	datatest.WantError(t, err, "the table has 4 rows")
}

// Whatever the text is, the filter gives rows or an error that is ours.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{"age >= 18 && state != \"PR\"", "!(ok) || age in (1, 2)", "`annual income` is not null",
		"((((", "age == -", "state == '\xff'"} {
		f.Add(s)
	}
	frame, err := ReadBytes(context.Background(), "t.csv", []byte(filterTable))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rows, err := frame.Filter(context.Background(), s)
		if own := (*Error)(nil); err != nil && (!errors.As(err, &own) || own.Msg == "") {
			t.Fatalf("%q: %v", s, err)
		}
		if len(rows) > frame.Rows {
			t.Fatalf("%q: %d rows", s, len(rows))
		}
	})
}
