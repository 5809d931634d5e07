package train

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drotrain/drotrain/internal/suggest"
	"github.com/drotrain/drotrain/losses"
)

// maxConfigBytes limits the size of a configuration.
const maxConfigBytes = 1 << 20

// configFile is a Config with the reading options that a configuration holds beside it.
type configFile struct {
	Config `yaml:",inline"`

	Holdout       string   `yaml:"holdout"`        // see SetHoldout
	GroupFeatures string   `yaml:"group-features"` // see SetGroupFeatures
	Transform     []string `yaml:"transform"`      // see SetTransforms
	Memory        string   `yaml:"memory"`         // see SetMemory

	NoHeader  bool     `yaml:"no-header"`
	Missing   []string `yaml:"na"`
	Delimiter string   `yaml:"delimiter"`
	Decimal   string   `yaml:"decimal"`
	Thousands string   `yaml:"thousands"`
	Strip     string   `yaml:"strip"`
	Relabel   []string `yaml:"relabel"` // old->new
	Dates     string   `yaml:"dates"`
}

// ReadConfig reads a configuration in YAML: the keys are the options of `drotrain train` that say
// what is trained, and what is absent has its default. A key that does not exist, a value of the
// wrong type, a key that occurs twice and a second document are errors, which name the line. The
// settings are checked as Validate does.
func ReadConfig(r io.Reader) (Config, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxConfigBytes+1))
	if err != nil {
		return Config{}, err
	}
	if len(b) > maxConfigBytes {
		return Config{}, fmt.Errorf("a configuration has at most %d bytes", maxConfigBytes)
	}
	c := configFile{Config: DefaultConfig()}
	d := yaml.NewDecoder(strings.NewReader(string(b)))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return Config{}, configError(err)
	}
	if err := d.Decode(new(yaml.Node)); err == nil {
		return Config{}, errors.New("a second YAML document: keep one set of keys in a file")
	} else if !errors.Is(err, io.EOF) {
		return Config{}, configError(err)
	}
	if c.Holdout != "" {
		if err := c.Config.SetHoldout(c.Holdout); err != nil {
			return Config{}, fmt.Errorf("holdout: %q %w", c.Holdout, err)
		}
	}
	if err := c.Config.SetLoss(c.Config.Loss); err != nil {
		return Config{}, fmt.Errorf("loss: %q %w", c.Config.Loss, err)
	}
	if err := c.Config.SetTransforms(c.Transform); err != nil {
		return Config{}, fmt.Errorf("transform: %w", err)
	}
	if c.GroupFeatures != "" {
		if err := c.Config.SetGroupFeatures(c.GroupFeatures); err != nil {
			return Config{}, fmt.Errorf("group-features: %q %w", c.GroupFeatures, err)
		}
	}
	if c.Memory != "" {
		if err := c.Config.SetMemory(c.Memory); err != nil {
			return Config{}, fmt.Errorf("memory: %q %w", c.Memory, err)
		}
	}
	c.Config.ScaleTarget = c.Config.Scale != "none"
	t := &c.Config.Reading.Text
	t.NoHeader, t.Missing, t.Delimiter, t.Decimal, t.Thousands, t.Strip = c.NoHeader, c.Missing, c.Delimiter, c.Decimal, c.Thousands, c.Strip
	c.Config.Reading.Dates = c.Dates
	for _, text := range c.Relabel {
		from, to, ok := strings.Cut(text, "->")
		if from = strings.TrimSpace(from); !ok || from == "" {
			return Config{}, fmt.Errorf("relabel: %q must be OLD->NEW", text)
		}
		if c.Config.Reading.Relabel == nil {
			c.Config.Reading.Relabel = map[string]string{}
		}
		c.Config.Reading.Relabel[from] = strings.TrimSpace(to)
	}
	if err := c.Config.Reading.Validate(); err != nil {
		return Config{}, err
	}
	return c.Config, c.Config.Validate()
}

// SetMemory sets the memory that the process may have from a text: a number of bytes, as 400MB,
// 12GB or 1.5GiB, where K, M, G and T stand for powers of 1024; 0 stores the rows on disk.
func (c *Config) SetMemory(text string) error {
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
		return errors.New("must be a number of bytes, as 400MB or 12GB, or 0 for rows on disk")
	}
	c.Memory, c.OnDisk = int64(n), false
	return nil
}

// SetHoldout sets the rows that a model is measured on from a text: a proportion, drawn;
// time:COLUMN, the last ones; units:COLUMN, whole units of several rows; split:COLUMN, which says
// train or test; file:FILE, another table; crossfit, all rows by cross-fitting. A proportion may
// stand before time: and units:, with a comma between.
func (c *Config) SetHoldout(text string) error {
	next := *c
	next.Holdout, next.Evaluate = DefaultConfig().Holdout, DefaultConfig().Evaluate
	next.HoldoutData, next.Split, next.GroupHoldout, next.Time = "", "", "", ""
	errForm := errors.New("must be a proportion from 0 to below 1, time:COLUMN, units:COLUMN, split:COLUMN, file:FILE or crossfit")
	number, rest, both := strings.Cut(text, ",")
	if v, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil {
		if !(v >= 0 && v < 1) {
			return errForm
		}
		next.Holdout, text = v, rest
		if both && !strings.HasPrefix(rest, "time:") && !strings.HasPrefix(rest, "units:") {
			return errors.New("must name the rows behind the comma by time:COLUMN or units:COLUMN")
		}
		if !both {
			*c = next
			return nil
		}
	}
	kind, name, _ := strings.Cut(text, ":")
	field := map[string]*string{"time": &next.Time, "units": &next.GroupHoldout, "split": &next.Split, "file": &next.HoldoutData}[kind]
	switch {
	case text == EvaluateCrossfit:
		next.Evaluate, next.Holdout = EvaluateCrossfit, 0
	case field == nil || name == "":
		return errForm
	default:
		*field = name
	}
	*c = next
	return nil
}

// SetGroupFeatures sets whether the group columns are features: no; shared, where all groups share
// the other coefficients; pooled, where groups have some of their own; auto, where those predict
// measurably better. It accepts false and true for no and auto.
func (c *Config) SetGroupFeatures(text string) error {
	switch text {
	case "no", "false":
		c.GroupFeatures, c.GroupCoefficients = false, GroupCoefficientsNo
	case "shared":
		c.GroupFeatures, c.GroupCoefficients = true, GroupCoefficientsNo
	case "true":
		c.GroupFeatures, c.GroupCoefficients = true, GroupCoefficientsAuto
	case GroupCoefficientsPooled, GroupCoefficientsAuto:
		c.GroupFeatures, c.GroupCoefficients = true, text
	default:
		return errors.New("must be no, shared, pooled or auto")
	}
	return nil
}

// SetLoss sets the loss from its name. Behind a colon the name may have its parameter: huber:2 is
// linear beyond δ = 2.
func (c *Config) SetLoss(text string) error {
	name, delta, given := strings.Cut(text, ":")
	value := DefaultConfig().HuberDelta
	if given {
		var err error
		if value, err = strconv.ParseFloat(delta, 64); err != nil || !(value > 0) || math.IsInf(value, 0) {
			return fmt.Errorf("must have a number above 0 behind the colon, as in %s:2", name)
		}
		if !losses.HasDelta(name) {
			return errors.New("must be without a colon: this loss has no parameter")
		}
	}
	if _, ok := losses.KindOf(name); !ok && name != "" {
		return fmt.Errorf("must be %s", losses.Either(losses.Names(nil)))
	}
	c.Loss, c.HuberDelta = name, value
	return nil
}

// SetTransforms sets the functions of features from texts COLUMN:HOW: log takes the logarithm,
// square adds the square, and spline4 expands the column in a natural cubic spline of 4 knots.
func (c *Config) SetTransforms(texts []string) error {
	c.Log, c.Square, c.Spline = nil, nil, nil
	for _, text := range texts {
		at := strings.LastIndexByte(text, ':')
		column, how := text[:max(0, at)], text[at+1:]
		knots, spline := strings.CutPrefix(how, "spline")
		_, err := strconv.Atoi(knots)
		switch {
		case column == "" || how != "log" && how != "square" && (!spline || err != nil):
			return fmt.Errorf("must be COLUMN:log, COLUMN:square or COLUMN:spline4, with any number of knots, not %q", text)
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

// unknownField finds what the YAML package says of a key that does not exist.
var unknownField = regexp.MustCompile(`line (\d+): field (.*) not found in type .*`)

// configError words an error of the YAML package, with the nearest key for one that does not exist.
func configError(err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	lines := slices.Clone(wrong.Errors)
	for i, line := range lines {
		m := unknownField.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		lines[i] = fmt.Sprintf("line %s: unknown key %q", m[1], m[2])
		if near := suggest.Nearest(m[2], configKeys(reflect.TypeFor[configFile]()), 1); len(near) > 0 {
			lines[i] += fmt.Sprintf(", did you mean %q?", near[0])
		}
	}
	return errors.New(strings.Join(lines, "; "))
}

// configKeys lists the keys of a configuration.
func configKeys(t reflect.Type) (keys []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			keys = append(keys, configKeys(f.Type)...)
		case key != "" && key != "-":
			keys = append(keys, key)
		}
	}
	return keys
}
