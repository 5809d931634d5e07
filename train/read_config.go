package train

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// ReadConfig reads a configuration from YAML. The keys are those of Config.Options; absent keys have their defaults.
// The error lists all unknown keys, repeated keys and invalid values, with their lines and, if r is a file, its name.
// The result passes Validate.
func ReadConfig(r io.Reader) (Config, error) {
	if r == nil {
		return Config{}, errors.New("train: the reader is nil")
	}
	path := "configuration"
	if f, ok := r.(interface{ Name() string }); ok {
		path = f.Name()
	}
	c := DefaultConfig()
	options := c.options()
	problems := setting.ApplyYAML(path, r, setting.Keys{
		Find: func(key string) (*setting.Value, bool) { v, known := options[key]; return v, known },
		Unknown: func(key string) string {
			return setting.DidYouMean(key, slices.Sorted(maps.Keys(options)), "")
		},
	})
	for i, err := range problems {
		if e, ok := err.(*setting.Error); ok && e.Hint() != "" {
			problems[i] = fmt.Errorf("%w (%s)", err, e.Hint())
		}
	}
	if problems != nil {
		return Config{}, errors.Join(problems...)
	}
	if err := c.Reading.Validate(); err != nil {
		return Config{}, err
	}
	return c, c.Validate()
}

// Options returns flag.Values that set the fields of c, indexed by the names of those options of `drotrain train` that
// affect the model or where its rows are stored.
func (c *Config) Options() map[string]flag.Value {
	out := map[string]flag.Value{}
	for name, v := range c.options() {
		out[name] = v
	}
	return out
}

// options works like Options with a more specific type.
func (c *Config) options() map[string]*setting.Value {
	text := &c.Reading.Text
	all := map[string]*setting.Value{
		"data":             setting.Text(&c.Data),
		"target":           setting.Text(&c.Target),
		"groups":           setting.List(&c.Groups, nil),
		"features":         setting.List(&c.Features, nil),
		"drop":             setting.List(&c.Drop, nil),
		"filter":           setting.Text(&c.Filter),
		"weight":           setting.Text(&c.Weight),
		"exposure":         setting.Text(&c.Exposure),
		"positive":         setting.Text(&c.Positive),
		"impute":           setting.Enum(&c.Impute, []string{"error", "mean", "median", "drop"}),
		"categorical":      setting.List(&c.Categorical, nil),
		"min-count":        setting.Count(&c.MinCount, 0),
		"group-features":   setting.New("no|shared|pooled|auto", c.groupFeaturesWord, c.setGroupFeatures),
		"scale":            setting.Choice([]string{"standard", "max", "none"}, func() string { return c.Scale }, c.setScale),
		"target-transform": setting.Enum(&c.TargetTransform, []string{"log", "log1p"}),
		"transform":        setting.List(new([]string), c.setTransforms),
		"interact":         setting.Pairs(&c.Interact, ":"),
		"intercept":        setting.Switch(&c.Intercept),
		"holdout":          setting.KeepingText("rows", "", c.setHoldout),
		"validation":       setting.KeepingText("rows", "", c.setValidation),

		"penalty":      setting.Enum(&c.Penalty, dro.Divergences()),
		"adversary":    setting.Enum(&c.Adversary, []string{"rows", "groups"}),
		"group-adjust": setting.AtLeastZero(&c.Adjust),
		"select":       setting.Enum(&c.Select, tune.Criteria),
		"folds":        setting.Count(&c.Folds, 2),
		"budget":       setting.OptionalAtLeastZero(&c.Budget),

		"loss":           setting.New(strings.Join(losses.Names(nil), "|"), func() string { return c.Loss }, c.setLoss),
		"mu":             setting.OptionalAtLeastZero(&c.Mu),
		"solver":         setting.Enum(&c.Solver, solverNames()),
		"gap":            setting.Positive(&c.Gap),
		"max-passes":     setting.Positive(&c.MaxPasses),
		"seed":           setting.Seed(&c.Seed),
		"storage":        setting.Enum(&c.Storage, design.Storages()),
		"memory":         setting.KeepingText("size", "", c.setMemory),
		"cache":          setting.Text(&c.Cache),
		"min-group-size": setting.Count(&c.MinGroupSize, 0),
		"threshold":      setting.OptionalProbability(&c.Threshold),
		"recalibrate":    setting.Switch(&c.Recalibrate),

		"no-header": setting.Switch(&text.NoHeader),
		"na":        setting.TextsByColumn(&text.Missing),
		"delimiter": readingMark(&text.Delimiter, "be one character other than a quote or a line end",
			func(r *data.Reading, s string) { r.Text.Delimiter = s }),
		"decimal": readingMark(&text.Decimal, "be . or ,", func(r *data.Reading, s string) { r.Text.Decimal = s }),
		"thousands": readingMark(&text.Thousands, "be , . ' _ or a space", func(r *data.Reading, s string) {
			if r.Text.Thousands = s; s == "." {
				r.Text.Decimal = ","
			}
		}),
		"strip": readingMark(&text.Strip, "contain no digits, signs, points or commas",
			func(r *data.Reading, s string) { r.Text.Strip = s }),
		"relabel":    setting.Map(&c.Reading.Relabel, "->"),
		"dates":      setting.Enum(&c.Reading.Dates, data.DateUses()),
		"numeric":    setting.List(&text.Numeric, nil),
		"date-order": setting.Enum(&text.DateOrder, data.DateOrders()),
		"time-zone": setting.Word(&c.Reading.Zone, "be a name such as Europe/Berlin, UTC or an offset such as +02:00",
			func(zone string) bool { return data.Reading{Zone: zone}.Validate() == nil }),
	}
	for _, k := range level.Kinds {
		if k.Option != "" {
			all[k.Option] = k.Setting(&c.Level).(*setting.Value)
		}
	}
	return all
}

// readingMark returns a value for a text option of data.Reading, which set stores in the reading.
func readingMark(p *string, must string, set func(r *data.Reading, text string)) *setting.Value {
	return setting.Word(p, must, func(text string) bool {
		var alone data.Reading
		set(&alone, text)
		return alone.Text.Validate() == nil
	})
}

// setMemory sets the memory limit from a text such as 400MB, 12GB or 1.5GiB, in which K, M, G and T are powers of
// 1024. The text 0 means that the rows are stored on disk.
func (c *Config) setMemory(text string) error {
	number := strings.ToUpper(strings.TrimSpace(text))
	if number == "0" {
		c.Memory, c.OnDisk = 0, true
		return nil
	}
	number = strings.TrimSuffix(strings.TrimSuffix(number, "B"), "I")
	scale := 1.0
	for power, unit := range []string{"K", "M", "G", "T"} {
		if rest, ok := strings.CutSuffix(number, unit); ok {
			number, scale = rest, math.Pow(1024, float64(power+1))
			break
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if n *= scale; err != nil || !(n >= 1) || n >= math.MaxInt64 {
		return setting.Must("be a number of bytes, or 0 for rows on disk", "as in 400MB or 12GB")
	}
	c.Memory, c.OnDisk = int64(n), false
	return nil
}

// setHoldout sets the hold-out from a text: a proportion of random rows; time:COLUMN for the latest rows;
// units:COLUMN for whole units; split:COLUMN for a column that assigns rows to train and test; file:FILE for a
// separate table; or crossfit. A proportion and a comma may precede time: and units:.
func (c *Config) setHoldout(text string) error {
	next := *c
	next.Holdout, next.Evaluate = DefaultConfig().Holdout, DefaultConfig().Evaluate
	next.HoldoutData, next.Split, next.GroupHoldout, next.Time = "", "", "", ""
	const example = "as in 0.2 or 0.3,time:date"
	number, rest, both := strings.Cut(text, ",")
	proportion, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err == nil {
		next.Holdout, text = proportion, rest
	}
	kind, name, _ := strings.Cut(text, ":")
	field := map[string]*string{"time": &next.Time, "units": &next.GroupHoldout, "split": &next.Split,
		"file": &next.HoldoutData}[kind]
	switch isProportion := next.Holdout >= 0 && next.Holdout < 1; {
	case isProportion && err == nil && !both:
	case isProportion && err == nil && kind != "time" && kind != "units":
		return setting.Must("name the rows after the comma, with time:COLUMN or units:COLUMN", example)
	case text == EvaluateCrossfit:
		next.Evaluate, next.Holdout = EvaluateCrossfit, 0
	case !isProportion || field == nil || name == "":
		return setting.Must(
			"be a proportion from 0 to below 1, time:COLUMN, units:COLUMN, split:COLUMN, file:FILE or crossfit", example)
	default:
		*field = name
	}
	*c = next
	return nil
}

// setValidation sets the validation rows from a text: split:COLUMN for a column that assigns rows to train and
// validation; FILE or file:FILE for a separate table.
func (c *Config) setValidation(text string) error {
	column, split := strings.CutPrefix(text, "split:")
	file := strings.TrimPrefix(text, "file:")
	if split && column == "" || file == "" {
		return setting.Must("be FILE or split:COLUMN", "as in validation.parquet or split:part")
	}
	if c.ValidationData, c.ValidationSplit = file, ""; split {
		c.ValidationData, c.ValidationSplit = "", column
	}
	return nil
}

// groupFeaturesWord returns the option value for the use of group columns as features: no, shared, pooled or auto.
func (c *Config) groupFeaturesWord() string {
	switch {
	case !c.GroupFeatures:
		return groupCoefficientsNo
	case cmp.Or(c.GroupCoefficients, groupCoefficientsNo) == groupCoefficientsNo:
		return "shared"
	}
	return c.GroupCoefficients
}

// setGroupFeatures sets the use of group columns as features from an option value as returned by groupFeaturesWord;
// false and true mean no and auto.
func (c *Config) setGroupFeatures(word string) error {
	coefficients, known := map[string]string{
		"no": groupCoefficientsNo, "false": groupCoefficientsNo, "shared": groupCoefficientsNo,
		"pooled": groupCoefficientsPooled, "auto": groupCoefficientsAuto, "true": groupCoefficientsAuto,
	}[word]
	if !known {
		return setting.Must("be no, shared, pooled or auto", "")
	}
	c.GroupFeatures, c.GroupCoefficients = word != "no" && word != "false", coefficients
	return nil
}

// setScale sets the scaling of features and target.
func (c *Config) setScale(word string) error {
	c.Scale, c.ScaleTarget = word, word != "none"
	return nil
}

// setLoss sets the loss from its name, optionally followed by a colon and a parameter, such as huber:2.
func (c *Config) setLoss(text string) error {
	names := losses.Names(nil)
	name, delta, given := strings.Cut(text, ":")
	kind, known := losses.KindOf(name)
	if !known {
		return setting.Must("be "+printable.JoinWords(names, "or"), setting.DidYouMean(name, names, ""))
	}
	if kind.HasLevel {
		if _, err := losses.Parse(text, 1); err != nil {
			return setting.Must(fmt.Sprintf("have a level between 0 and 1 after a colon, as in %s:0.9", name), "")
		}
		c.Loss = text
		return nil
	}
	value := DefaultConfig().HuberDelta
	if given {
		var err error
		if value, err = strconv.ParseFloat(delta, 64); err != nil || !(value > 0) || math.IsInf(value, 0) {
			return setting.Must(fmt.Sprintf("have a number above 0 after the colon, as in %s:2", name), "")
		}
		if !losses.HasDelta(name) {
			return setting.Must("be without a colon: this loss has no parameter", "")
		}
	}
	c.Loss, c.HuberDelta = name, value
	return nil
}

// setTransforms sets the derived columns from texts COLUMN:HOW, where HOW is log, square or spline followed by the
// number of knots, such as spline4.
func (c *Config) setTransforms(texts []string) error {
	c.Log, c.Square, c.Spline = nil, nil, nil
	for _, text := range texts {
		at := strings.LastIndexByte(text, ':')
		column, how := text[:max(0, at)], text[at+1:]
		knots, spline := strings.CutPrefix(how, "spline")
		_, err := strconv.Atoi(knots)
		switch {
		case column == "" || how != "log" && how != "square" && (!spline || err != nil):
			return setting.Must(fmt.Sprintf("be COLUMN:log, COLUMN:square or COLUMN:spline4, with 3 to 20 knots, not %q",
				text), "as in income:log,age:spline4")
		case how == "log":
			c.Log = append(c.Log, column)
		case how == "square":
			c.Square = append(c.Square, column)
		default:
			c.Spline = append(c.Spline, column+":"+knots)
		}
	}
	return nil
}
