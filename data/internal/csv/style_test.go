package csv

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/data/table"
)

// Every file is read in one way: that in which most columns are numbers, without a column of
// numbers that becomes text.
func TestChooseStyle_FileDecides(t *testing.T) {
	const none = "none"
	for name, c := range map[string]struct {
		text string
		want map[string]string // the remark of a column: "decimal=, thousands=. strip=%", or none
	}{
		"thousands beside a decimal point": {"z,amount\n0.711,\"12,345\"\n2089.19,\"8,083\"\n1.5,\"1,013\"\n0.2,996\n",
			map[string]string{"amount": "thousands=,"}},
		"survey weights and incomes": {"w,income\n0.757,\"22,470\"\n1.203,\"8,083\"\n0.999,996\n",
			map[string]string{"income": "thousands=,"}},
		"three digits after every comma": {"i,a\n1,\"7,500\"\n2,\"6,250\"\n", map[string]string{"a": "thousands=,"}},
		"a percent sign with a point": {"p,a\n48.2%,\"7,500\"\n1.5%,\"6,250\"\n",
			map[string]string{"p": "strip=%", "a": "thousands=,"}},
		"another column decides": {"a,b\n\"7,500\",\"1,5\"\n\"6,250\",\"2,25\"\n",
			map[string]string{"a": "decimal=,", "b": "decimal=,"}},
		"a leading zero decides": {"a\n\"0,711\"\n\"7,500\"\n\"0,100\"\n", map[string]string{"a": "decimal=,"}},
		"two groups decide": {"a;b\n7,500;1,234,567\n6,250;1,000,000\n",
			map[string]string{"a": "thousands=,", "b": "thousands=,"}},
		"european": {"a;b;c\n1.234,56;1,5;1.234\n2.000,00;2,25;12.000\n",
			map[string]string{"a": "decimal=, thousands=.", "b": "decimal=,"}},
		"european with spaces": {"a;b\n1 234,56;1,5\n2 000,00;2,25\n",
			map[string]string{"a": "decimal=, thousands= ", "b": "decimal=,"}},
		"swiss": {"a;b\n1'234.56;1.5\n2'000.00;2.25\n", map[string]string{"a": "thousands='"}},
		"euros": {"a;b\n1.234,56 €;1,5\n2.000,00 €;2,25\n",
			map[string]string{"a": "decimal=, thousands=. strip=€", "b": "decimal=,"}},
		"dollars": {"a,b\n\"$1,234\",1.5\n\"$2,500\",2.5\n",
			map[string]string{"a": "thousands=, strip=$"}},
		"semicolons and nothing else": {"a;b\n7,500;1\n6,250;2\n", map[string]string{"a": none}},
		"a point excludes a comma":    {"a;b\n7,5;0.5\n6,25;2.25\n", map[string]string{"a": none}},
		"a late point excludes a comma": {"a;b\n" + strings.Repeat("7,5;1\n", 3000) + "7,5;0.5\n",
			map[string]string{"a": none}},
	} {
		f, err := Read(t.Context(), sourceOf("t.csv", c.text), nil, Options{}, false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := map[string]string{}
		for _, r := range f.Remarks {
			var says []string
			for _, o := range []struct {
				remedy fix.Fix
				name   string
			}{{fix.SayDecimal, "decimal="}, {fix.SayThousands, "thousands="}, {fix.SayStrip, "strip="}} {
				if what := r.FixValues[o.remedy]; what != "" {
					says = append(says, o.name+what)
				}
			}
			if got[r.Column] = strings.Join(says, " "); len(says) == 0 {
				got[r.Column] = none
			}
			if r.Class != table.ErrTextOfNumbers {
				t.Errorf("%s: %v is of class %v", name, r, r.Class)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: remarks %v, want %v", name, got, c.want)
		}
		for column, want := range c.want {
			if got[column] != want {
				t.Errorf("%s, column %s: %q, want %q", name, column, got[column], want)
			}
		}
	}
}

// A few kilobytes of packed text may have millions of columns, which are refused by default.
func TestRead_ManyColumns(t *testing.T) {
	wide := strings.Repeat(",", table.DefaultMaxColumns) + "\n"
	for _, o := range []Options{{}, {TextOptions: table.TextOptions{NoHeader: true}}} {
		_, err := Read(t.Context(), sourceOf("t.csv", wide+wide), nil, o, false)
		if err == nil || !strings.Contains(err.Error(), "100001 columns exceed the limit of 100000") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	two, three := Options{TextOptions: table.TextOptions{MaxColumns: 2}}, Options{TextOptions: table.TextOptions{MaxColumns: 3}}
	if _, err := Read(t.Context(), sourceOf("t.csv", "a,b,c\n1,2,3\n"), nil, two, false); err == nil {
		t.Error("three columns where two are allowed")
	}
	if _, err := ReadLines(t.Context(), sourceOf("t.jsonl", `{"a":1,"b":2,"c":3}`), nil, two,
		false); err == nil {
		t.Error("three keys where two are allowed")
	}
	if f, err := Read(t.Context(), sourceOf("t.csv", "a,b,c\n1,2,3\n"), nil, three, false); err != nil ||
		len(f.Columns) != 3 {
		t.Error(err)
	}
}

// The kind of fractions of a column depends on all numbers, wherever the first fraction of three digits stands.
func TestMarks_Fractions(t *testing.T) {
	for text, want := range map[string]table.Fractions{
		"x\n1\n20\n":                  table.NoFractions,
		"x\n1.234\n20.500\n":          table.DottedFractions,
		"x\n1.5\n20.25\n":             table.OtherFractions,
		"x\n1.234\n20.25\n":           table.MixedFractions,
		"x\n1.5\n20.250\n":            table.MixedFractions,
		"x\n1.5\n2\n-20.250\n3.125\n": table.MixedFractions,
		"x\n0.123\n1234.567\n1.5e3\n": table.OtherFractions,
	} {
		f, err := Read(t.Context(), sourceOf("t.csv", text), nil, Options{}, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Columns[0].Marks.Fractions; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
