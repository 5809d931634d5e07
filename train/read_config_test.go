package train

import (
	"reflect"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/train/level"
)

func TestReadConfig_KeysOfTrain(t *testing.T) {
	c, err := ReadConfig(strings.NewReader(`
data: t.csv
target: y
groups: [a, "b, c"]
nu: 0.5
penalty: chi2
intercept: false
na: ["?"]
decimal: ","
relabel: ["<=50K.-><=50K"]
seed: 18446744073709551615
`))
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultConfig()
	want.Data, want.Target, want.Groups, want.Intercept, want.Seed = "t.csv", "y", []string{"a", "b, c"}, false, 1<<64-1
	want.Level = level.Level{Penalty: "chi2", Nu: level.At(0.5)}
	want.Reading.Text.Missing, want.Reading.Text.Decimal = []string{"?"}, ","
	want.Reading.Relabel = map[string]string{"<=50K.": "<=50K"}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got\n%+v\nwant\n%+v", c, want)
	}
}

func TestReadConfig_Refusals(t *testing.T) {
	for text, want := range map[string]string{
		"target: y\npenality: kl":             `line 2: unknown key "penality", did you mean "penalty"?`,
		"target: y\nnu: much":                 "line 2: cannot unmarshal",
		"target: y\ntarget: z":                `already`,
		"target: y\n---\nnu: 1":               "a second YAML document",
		"target: y\nnu: -1":                   "Config.Nu",
		"target: y\nnu: .nan":                 "Config.Nu",
		"target: y\nscale: most":              `unknown Config.Scale "most"`,
		"target: y\ndecimal: x":               "decimal",
		"target: y\nrelabel: [a]":             "OLD->NEW",
		"- a":                                 "cannot unmarshal",
		"":                                    "no target",
		strings.Repeat("#", maxConfigBytes+1): "at most",
	} {
		if _, err := ReadConfig(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// A Config with nothing but a target has the default of every setting that is a word or a number.
func TestConfig_ZeroValuesAreDefaults(t *testing.T) {
	c := Config{Target: "y"}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.setDefaults()
	want := DefaultConfig()
	if c.Impute != want.Impute || c.Scale != want.Scale || c.Solver != want.Solver || c.Gap != want.Gap || c.MaxPasses != want.MaxPasses ||
		c.HuberDelta != want.HuberDelta || c.Penalty != want.Penalty || c.Choice != want.Choice || c.Storage != want.Storage {
		t.Errorf("got\n%+v, want\n%+v", c, want)
	}
}
