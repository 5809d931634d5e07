package options

import (
	"bytes"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// A number is taken within its range, and what is none, or none that is finite, is said to
// be that; what is refused changes nothing.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"0.5": "", " 0.25 ": "", "1e-3": "",
		"": "must be a number", "half": "must be a number", "0,5": "must be a number",
		"nan": "must be a finite number", "inf": "must be a finite number", "1e999": "must be a finite number", "-1e999": "must be a finite number",
		"0": "must be above 0 and at most 1", "1.5": "must be above 0 and at most 1",
	} {
		var p *float64
		v := OptionalShare(&p)
		if v.String() != "" {
			t.Errorf("not given: %q", v.String())
		}
		got := ""
		if err := v.Set(text); err != nil {
			got = err.Error()
		}
		if got != want || (p != nil) != (want == "") {
			t.Errorf("%q: %q, want %q; %v", text, got, want, p)
		}
		if want == "" {
			if x := *p; v.Set(v.String()) != nil || *p != x {
				t.Errorf("%q is shown as %q", text, v.String())
			}
		}
	}
}

// A zero has no sign: one divided by it is no lower bound.
func TestZerosHaveNoSign(t *testing.T) {
	x, y := 1.0, (*float64)(nil)
	if AtLeastZero(&x).Set("-0") != nil || OptionalAtLeastZero(&y).Set("-0") != nil || math.Signbit(x) || math.Signbit(*y) {
		t.Errorf("%v, %v", x, y)
	}
}

// Names are separated by commas, and quoted where they hold some; a list that is given
// again goes on; and it is written so that it reads back.
func TestLists(t *testing.T) {
	var names []string
	v := List(&names)
	for _, text := range []string{`a,"b, c", d`, "", `" "" e"`} {
		if err := v.Set(text); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	if want := []string{"a", "b, c", "d", ` " e`}; !slices.Equal(names, want) || !slices.Equal(v.Names(), want) {
		t.Errorf("%q", names)
	}
	var again []string
	if err := List(&again).Set(v.CSV()); err != nil || !slices.Equal(again, names) {
		t.Errorf("%q reads as %q, %v", v.CSV(), again, err)
	}
	before := slices.Clone(names)
	for text, want := range map[string]string{
		"a,,b": "name 2 of 3 is empty", "a,b, ": "name 3 of 3 is empty", "a\nb": "must be a comma-separated list of names", `"a`: "must be a comma-separated list of names",
	} {
		if err := v.Set(text); err == nil || err.Error() != want || !slices.Equal(names, before) {
			t.Errorf("%q: %v, want %s; %q", text, err, want, names)
		}
	}
}

// Lists of pairs have a mark in each, and something before it; names are given from the one
// to the other.
func TestPairs(t *testing.T) {
	var texts []string
	v := Pairs(&texts, "=")
	if err := v.Set("a=1,b=,c=d=e"); err != nil || len(texts) != 3 {
		t.Errorf("%q, %v", texts, err)
	}
	for _, text := range []string{"a", "=1", " =1", "a=1,b"} {
		if err := Pairs(new([]string), "=").Set(text); err == nil || err.Error() != "must be a list of A=B" {
			t.Errorf("%q: %v", text, err)
		}
	}
	var to map[string]string
	n := Names(&to, "->")
	for _, text := range []string{"a -> b", "c->d->e"} {
		if err := n.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.Equal(to, map[string]string{"a": "b", "c": "d->e"}) {
		t.Errorf("%q", to)
	}
}

// All that is wrong with a command line is told at once, in its order: values, options that
// do not exist, and the last without a value; and so of a file. A text that an option takes is
// no option.
func TestAllThatIsWrongIsTold(t *testing.T) {
	flags := func() *pflag.FlagSet {
		var names []string
		var share *float64
		fs := pflag.NewFlagSet("t", pflag.ContinueOnError)
		fs.SetOutput(io.Discard)
		fs.Var(Some(&names, []string{"svg", "png"}), "plots", "")
		fs.Var(OptionalShare(&share), "share", "")
		fs.Var(WholeNumber(new(int), "be even", func(n int) bool { return n%2 == 0 }), "count", "")
		fs.Var(Word(new(string), "be a letter", func(s string) bool { return len(s) == 1 }), "mark", "`letter`")
		fs.VarPF(Switch(new(bool)), "json", "", "").NoOptDefVal = "true"
		return fs
	}
	for args, want := range map[string]string{
		"--count 3": `--count "3": must be even`,
		"--share 7 --count 3 --json=so --mark ab": `4 things are wrong with the command line:
  --share "7": must be above 0 and at most 1
  --count "3": must be even
  --json "so": must be true or false
  --mark "ab": must be a letter`,
		"--shaer 1 --count 1 x -y - --plots svg,pgn --shaer=2 --mark": `5 things are wrong with the command line:
  unknown option --shaer
    → did you mean --share?
  --count "1": must be even
  unknown option -y
    → long options take two dashes; did you mean --help?
  --plots "svg,pgn": must be some of svg, png
    → did you mean png?
  option --mark needs a value
    → write --mark letter`,
		"--mark --no --no -- --nothing": `2 things are wrong with the command line:
  --mark "--no": must be a letter
  unknown option --no
    → --help lists the options`,
	} {
		words := strings.Fields(args)
		if flags().Parse(words) == nil {
			t.Errorf("%s is taken", args)
		}
		if err := FlagErrors(flags(), words); err == nil || told(err) != want {
			t.Errorf("%s:\n%s\nwant\n%s", args, told(err), want)
		}
	}
	const want = `3 things are wrong with c.yaml:
  c.yaml:1: count "3": must be even
  c.yaml:2: unknown key "shaer"
    → did you mean share?
  c.yaml:4: plots: must be some of svg, png`
	if err := ApplyYAML(flags(), "c.yaml", strings.NewReader("count: 3\nshaer: 1\nmark: a\nplots: [svg, pdf]\n")); err == nil || told(err) != want {
		t.Errorf("%s\nwant\n%s", told(err), want)
	}
}

// told is what is printed of an error, but for a hint of one alone.
func told(err error) string {
	if err == nil {
		return ""
	}
	msg, _ := exit.Describe(err)
	return msg
}

// Of a file every key is taken, the first and the last, but for those of the command line;
// what is wrong is told with its line and its place in a list.
func TestKeysOfAFile(t *testing.T) {
	var names []string
	var share *float64
	var count int
	flags := func() *pflag.FlagSet {
		names, share, count = nil, nil, 0
		fs := pflag.NewFlagSet("t", pflag.ContinueOnError)
		fs.Var(List(&names), "drop", "")
		fs.Var(OptionalShare(&share), "share", "")
		fs.Var(Count(&count), "count", "")
		return fs
	}
	fs := flags()
	if err := ApplyYAML(fs, "c.yaml", strings.NewReader("drop: [a, 'b, c']\nshare: 0.5\ncount: 1_000\n")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names, []string{"a", "b, c"}) || share == nil || *share != 0.5 || count != 1000 {
		t.Errorf("%q, %v, %d", names, share, count)
	}
	fs = flags()
	if err := fs.Set("count", "7"); err != nil {
		t.Fatal(err)
	}
	if err := ApplyYAML(fs, "c.yaml", strings.NewReader("count: 9\nshare: 1\n")); err != nil || count != 7 || *share != 1 {
		t.Errorf("%v, count %d, share %v", err, count, *share)
	}
	for text, want := range map[string]string{
		"drop: [a, b, [c]]\n":         "c.yaml:1: drop: item 3 must be a name, not ",
		"drop: [~]\n":                 "c.yaml:1: drop: item 1 must be a name, not ",
		"drop: [a, '']\n":             "c.yaml:1: drop: name 2 of 2 is empty",
		"drop: 'a,,b'\n":              "c.yaml:1: drop \"a,,b\": name 2 of 3 is empty",
		"dorp: a\n":                   `c.yaml:1: unknown key "dorp"`,
		"count: 1\nshare: much\n":     "c.yaml:2: share: must be a number, not ",
		"share: 1\ncount: 1.5\n":      "c.yaml:2: count: must be a whole number, not ",
		"count: 1\n\ncount: 2\n":      `c.yaml:3: key "count" is already set on line 1`,
		"- count\n":                   "c.yaml:1: the configuration must be keys and values, not ",
		"count: 1\n---\nshare: 0.5\n": "c.yaml:2: a second YAML document",
	} {
		if err := ApplyYAML(flags(), "c.yaml", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// An option is written once, its text in a column of its own, below it where it is long.
func TestHelpOfAnOption(t *testing.T) {
	fs := pflag.NewFlagSet("t", pflag.ContinueOnError)
	fs.Int("few", 0, "how `many`")
	fs.Int("threads", 3, "of this process, which are shared by everything that it does at once and then some more")
	fs.Bool("an-option-of-a-long-name", false, "says much, in more words than a line of the help has room for beside its name")
	var b bytes.Buffer
	for _, name := range []string{"few", "threads", "an-option-of-a-long-name"} {
		printOption(&b, fs.Lookup(name))
	}
	want := `  --few many                how many
  --threads int             of this process, which are shared by everything that
                            it does at once and then some more (default 3)
  --an-option-of-a-long-name
                            says much, in more words than a line of the help has
                            room for beside its name
`
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A configuration of any size is refused at once, with few errors.
func TestApplyYAML_TooLong(t *testing.T) {
	for text, want := range map[string]string{
		"count: 3 #" + strings.Repeat(" ", maxConfigSize):    "at most 1048576 bytes",
		"drop: [" + strings.Repeat("ab,", maxNames) + " ab]": "must have at most 10000 names, not 10001",
		strings.Repeat("unknown: 1\n", 100):                  "no more keys are read after 20 errors",
	} {
		var names []string
		var count int
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.Var(List(&names), "drop", "")
		fs.IntVar(&count, "count", 0, "")
		err := ApplyYAML(fs, "c.yaml", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 5000 {
			t.Errorf("%.20q: %.300v", text, err)
		}
	}
}
