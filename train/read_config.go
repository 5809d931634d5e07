package train

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drotrain/drotrain/internal/suggest"
)

// maxConfigBytes limits the size of a configuration.
const maxConfigBytes = 1 << 20

// configFile is a Config with the reading options that a configuration holds beside it.
type configFile struct {
	Config `yaml:",inline"`

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
