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

// Errors name the line, suggest the key that was probably meant, and state what a value must be.
func TestReadConfig_Refusals(t *testing.T) {
	for text, want := range map[string]string{
		"target: y\npenality: kl": `configuration:2: unknown key "penality" (did you mean penalty?)`,
		"target: y\nnu: much":     `configuration:2: nu "much": must be a number`,
		"target: y\ntarget: z":    "configuration:2: key \"target\" is already set on line 1",
		"target: y\n---\nnu: 1":   "a second YAML document begins",
		"target: y\nnu: -1":       `configuration:2: nu "-1": must be at least 0`,
		"target: y\nscale: most":  `configuration:2: scale "most": must be standard, max or none`,
		"target: y\ndecimal: x":   `configuration:2: decimal "x": must be . or ,`,
		"target: y\nrelabel: [a]": "configuration:2: relabel: must be a list of A->B",
		"target: y\nmemory: much": `configuration:2: memory "much": must be a number of bytes, or 0 for rows on disk (as in 400MB or 12GB)`,
		"- a":                     "must be keys and values, not a list",
		"":                        "no target",
		"nu: 0.1":                 "no target",
	} {
		if _, err := ReadConfig(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// A Config with only a target has the default of every setting that is a string or a number.
func TestConfig_ZeroValuesAreDefaults(t *testing.T) {
	c := Config{Target: "y"}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.setDefaults()
	want := DefaultConfig()
	if c.Impute != want.Impute || c.Scale != want.Scale || c.Solver != want.Solver || c.Gap != want.Gap ||
		c.MaxPasses != want.MaxPasses ||
		c.HuberDelta != want.HuberDelta || c.Penalty != want.Penalty || c.Choice != want.Choice || c.Storage != want.Storage {
		t.Errorf("got\n%+v, want\n%+v", c, want)
	}
}

// The hold-out and the use of group columns are read from the same short texts as on the command line.
func TestReadConfig_ShortForms(t *testing.T) {
	for text, want := range map[string]func(c *Config){
		"holdout: 0.3":           func(c *Config) { c.Holdout = 0.3 },
		"holdout: time:day":      func(c *Config) { c.Time = "day" },
		"holdout: 0.3,units:a:b": func(c *Config) { c.Holdout, c.GroupHoldout = 0.3, "a:b" },
		"holdout: split:set":     func(c *Config) { c.Split = "set" },
		"holdout: file:new.csv":  func(c *Config) { c.HoldoutData = "new.csv" },
		"holdout: crossfit":      func(c *Config) { c.Holdout, c.Evaluate = 0, EvaluateCrossfit },
		"group-features: false":  func(c *Config) { c.GroupFeatures, c.GroupCoefficients = false, groupCoefficientsNo },
		"group-features: shared": func(c *Config) { c.GroupCoefficients = groupCoefficientsNo },
		"group-features: pooled": func(c *Config) { c.GroupCoefficients = groupCoefficientsPooled },
		"scale: none":            func(c *Config) { c.Scale, c.ScaleTarget = "none", false },
	} {
		expected := DefaultConfig()
		expected.Data, expected.Target = "t.csv", "y"
		want(&expected)
		got, err := ReadConfig(strings.NewReader("data: t.csv\ntarget: y\n" + text))
		if err != nil || !reflect.DeepEqual(got, expected) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"1", "-0.1", "NaN", "time:", "day", "0.2,split:set", "0.2,0.3", "group:g"} {
		c := DefaultConfig()
		if err := c.Options()["holdout"].Set(text); err == nil || !reflect.DeepEqual(c, DefaultConfig()) {
			t.Errorf("%q is accepted: %+v", text, c)
		}
	}
}

// Memory is a number of bytes, and 0 stands for rows on disk, in a configuration as in --memory.
func TestReadConfig_Memory(t *testing.T) {
	for text, want := range map[string]int64{"400MB": 400 << 20, "12G": 12 << 30, "1.5 GiB": 3 << 29, "1024": 1024,
		"2kb": 2048, "1T": 1 << 40, "3072T": 3 << 50, "77B": 77, "0": 0} {
		c, err := ReadConfig(strings.NewReader("target: y\nmemory: " + text + "\n"))
		if err != nil || c.Memory != want || c.OnDisk != (want == 0) {
			t.Errorf("%q: %d bytes, on disk %v, %v; want %d", text, c.Memory, c.OnDisk, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "0.5", "nan", "inf", "1e30", "12XB", "1 000"} {
		c := Config{Memory: 7}
		if err := c.Options()["memory"].Set(text); err == nil || c.Memory != 7 || c.OnDisk {
			t.Errorf("%q: %d bytes, %v", text, c.Memory, err)
		}
	}
}
