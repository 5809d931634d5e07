// Package setting provides values that can be set from text: values of command-line options and of configuration
// keys in YAML. Package train declares the settings of a training run, and the command adds its own. The best places to
// start reading are Value and ApplyYAML.
package setting

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/internal/printable"
)

// A Value sets a variable from text. It implements flag.Value and pflag.Value.
type Value struct {
	kind string
	get  func() string
	set  func(text string) error

	names *[]string                // names of a list
	check func(all []string) error // for a list: validates all names before they are stored; may be nil
	// for a list: returns the names to store, given the names of one text; may be nil
	prepare func(names []string) []string
	given   bool // the list has already been set, so further names are appended

	repeats bool     // whether every Set adds a value
	texts   []string // texts that were added to a repeated value
}

// New returns a value of the given kind; get must return a text that sets the current value.
func New(kind string, get func() string, set func(text string) error) *Value {
	return &Value{kind: kind, get: get, set: set}
}

// KeepingText works like New. The text of the value is the text that was set last, and initially text.
func KeepingText(kind, text string, set func(text string) error) *Value {
	return New(kind, func() string { return text }, func(next string) error {
		err := set(next)
		if err == nil {
			text = next
		}
		return err
	})
}

// Repeated returns a value that can be set repeatedly; each text is passed to add.
func Repeated(kind string, add func(text string) error) *Value {
	v := &Value{kind: kind, get: func() string { return "" }, repeats: true}
	v.set = func(text string) error {
		if err := add(text); err != nil {
			return err
		}
		v.texts = append(v.texts, text)
		return nil
	}
	return v
}

// Given returns the texts that were added to a repeated value, or nil for other values.
func (v *Value) Given() []string { return v.texts }

// String returns a text that sets the current value.
func (v *Value) String() string {
	if v == nil || v.get == nil {
		return ""
	}
	return v.get()
}

// Type returns the kind of the value: bool, int, float, names, string, or words separated by |.
func (v *Value) Type() string { return v.kind }

// Set sets the variable. The error states what the text must be.
func (v *Value) Set(text string) error { return v.set(text) }

// Names returns the names of a list, or nil for other values.
func (v *Value) Names() []string {
	if v.names == nil {
		return nil
	}
	return *v.names
}

// An Error states what a value must be, with an optional hint.
type Error struct{ must, hint string }

// Must returns an error that states what a value must be. The hint may be empty.
func Must(be, hint string) error { return &Error{"must " + be, hint} }

// WithHint replaces the hint of an error.
func WithHint(err error, hint string) error { return &Error{err.Error(), hint} }

func (e *Error) Error() string { return e.must }

// Hint returns advice to the user, or "".
func (e *Error) Hint() string { return e.hint }

// DidYouMean returns a hint that suggests the candidate most similar to word, or "".
func DidYouMean(word string, candidates []string, prefix string) string {
	if near := printable.Nearest(word, candidates, 1); len(near) > 0 {
		return fmt.Sprintf("did you mean %s%s?", prefix, near[0])
	}
	return ""
}

// parsedValue returns a value whose text parse converts to a T; must describes such texts, as in "be . or ,".
func parsedValue[T any](p *T, kind, must string, format func(T) string, parse func(string) (T, error)) *Value {
	return New(kind, func() string { return format(*p) }, func(text string) error {
		x, err := parse(text)
		if err != nil {
			return Must(must, "")
		}
		*p = x
		return nil
	})
}

// errNotValid reports that a text cannot be parsed.
var errNotValid = errors.New("not valid")

// Text returns a value for text.
func Text(p *string) *Value { return Word(p, "", func(string) bool { return true }) }

// Word returns a value for text that satisfies valid; must describes the requirement, as in "be . or ,".
func Word(p *string, must string, valid func(string) bool) *Value {
	return parsedValue(p, "string", must, func(text string) string { return text }, func(text string) (string, error) {
		if !valid(text) {
			return "", errNotValid
		}
		return text, nil
	})
}

// Switch returns a value for a bool.
func Switch(p *bool) *Value {
	return parsedValue(p, "bool", "be true or false", strconv.FormatBool, strconv.ParseBool)
}

// Count returns a value for an integer of at least least.
func Count(p *int, least int) *Value {
	return parsedValue(p, "int", fmt.Sprintf("be a whole number, at least %d", least), strconv.Itoa,
		func(text string) (int, error) {
			n, err := strconv.Atoi(text)
			if err == nil && n < least {
				err = errNotValid
			}
			return n, err
		})
}

// Seed returns a value for a 64-bit seed.
func Seed(p *uint64) *Value {
	return parsedValue(p, "int", "be a whole number from 0 to 18446744073709551615",
		func(n uint64) string { return strconv.FormatUint(n, 10) },
		func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
}

// Choice returns a value for one of several words; get and set are as in New.
func Choice(words []string, get func() string, set func(word string) error) *Value {
	return New(strings.Join(words, "|"), get, func(text string) error {
		if !slices.Contains(words, text) {
			return Must("be "+printable.JoinWords(words, "or"), DidYouMean(text, words, ""))
		}
		return set(text)
	})
}

// Enum returns a value for one of several words that is stored in a string variable.
func Enum[S ~string](p *S, words []S) *Value {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return Choice(texts, func() string { return string(*p) }, func(word string) error { *p = S(word); return nil })
}

// numberValue returns a value for a finite number that satisfies valid; get returns nil if it is not set.
func numberValue(get func() *float64, set func(float64), must string, valid func(float64) bool) *Value {
	text := func() string {
		if x := get(); x != nil {
			return strconv.FormatFloat(*x, 'g', -1, 64)
		}
		return ""
	}
	return New("float", text, func(text string) error {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		switch {
		case err != nil && !errors.Is(err, strconv.ErrRange):
			return Must("be a number", "")
		case math.IsNaN(x) || math.IsInf(x, 0):
			return Must("be a finite number", "")
		case !valid(x):
			return Must(must, "")
		}
		set(x + 0) // adding 0 turns −0 into 0
		return nil
	})
}

// Number returns a value for a finite number that satisfies valid; must describes the requirement, as in "be at
// least 0".
func Number(p *float64, must string, valid func(float64) bool) *Value {
	return numberValue(func() *float64 { return p }, func(x float64) { *p = x }, must, valid)
}

// Optional works like Number for an optional number: *p is nil if it is not set.
func Optional(p **float64, must string, valid func(float64) bool) *Value {
	return numberValue(func() *float64 { return *p }, func(x float64) { *p = &x }, must, valid)
}

// AtLeastZero returns a value for a number of at least 0.
func AtLeastZero(p *float64) *Value { return Number(p, "be at least 0", isAtLeastZero) }

// Positive returns a value for a number above 0.
func Positive(p *float64) *Value { return Number(p, "be greater than 0", isPositive) }

func isAtLeastZero(x float64) bool { return x >= 0 }
func isPositive(x float64) bool    { return x > 0 }

// OptionalAtLeastZero returns a value for an optional number of at least 0.
func OptionalAtLeastZero(p **float64) *Value { return Optional(p, "be at least 0", isAtLeastZero) }

// OptionalPositive returns a value for an optional number above 0.
func OptionalPositive(p **float64) *Value { return Optional(p, "be greater than 0", isPositive) }

// OptionalProportion returns a value for an optional number in (0, 1].
func OptionalProportion(p **float64) *Value {
	return Optional(p, "be above 0 and at most 1", func(x float64) bool { return x > 0 && x <= 1 })
}

// OptionalProbability returns a value for an optional number in [0, 1].
func OptionalProbability(p **float64) *Value {
	return Optional(p, "lie between 0 and 1", func(x float64) bool { return x >= 0 && x <= 1 })
}

// List returns a value for a list of names. Names are separated by commas, quoted as in CSV if necessary; the
// option can be repeated. check, unless it is nil, validates all names before they are stored.
func List(p *[]string, check func(all []string) error) *Value {
	v := &Value{kind: "names", names: p, check: check, get: func() string { return JoinNames(*p) }}
	v.set = func(text string) error {
		names, err := SplitNames(text)
		if err != nil {
			return Must("be a comma-separated list of names", "")
		}
		return v.add(names)
	}
	return v
}

// TextsByColumn returns a value for a list of texts. "text" applies to all columns. "COLUMN=text" applies to one
// column, and so do the texts that follow it in the same list, as in age=88,99.
func TextsByColumn(p *[]string) *Value {
	v := List(p, nil)
	v.prepare = func(texts []string) (out []string) {
		column := ""
		for _, text := range texts {
			if name, _, ok := strings.Cut(text, "="); ok && name != "" {
				column = name + "="
			} else {
				text = column + text
			}
			out = append(out, text)
		}
		return out
	}
	return v
}

// maxNames is the maximum number of names in a list.
const maxNames = 10_000

// add adds names literally. It returns an error for an empty name.
func (v *Value) add(names []string) error {
	if i := slices.Index(names, ""); i >= 0 {
		return &Error{must: fmt.Sprintf("name %d of %d is empty", i+1, len(names))}
	}
	if v.prepare != nil {
		names = v.prepare(names)
	}
	if v.given {
		names = append(*v.names, names...)
	}
	if len(names) > maxNames {
		return &Error{must: fmt.Sprintf("must have at most %d names, not %d", maxNames, len(names))}
	}
	if v.check != nil {
		if err := v.check(names); err != nil {
			return err
		}
	}
	*v.names, v.given = names, true
	return nil
}

// Subset returns a value for a list of some of the given words.
func Subset(p *[]string, words []string) *Value {
	return List(p, func(all []string) error {
		for _, name := range all {
			if !slices.Contains(words, name) {
				return Must("be one or more of "+strings.Join(words, ", "), DidYouMean(name, words, ""))
			}
		}
		return nil
	})
}

// Pairs returns a value for a list of texts that contain mark, such as column=level.
func Pairs(p *[]string, mark string) *Value {
	return List(p, func(all []string) error {
		for _, text := range all {
			if key, _, ok := strings.Cut(text, mark); !ok || strings.TrimSpace(key) == "" {
				return Must("be a list of A"+mark+"B", "")
			}
		}
		return nil
	})
}

// Map returns a value for a mapping of texts: 'a->b,c->d'.
func Map(to *map[string]string, mark string) *Value {
	v := Pairs(new([]string), mark)
	pairs := v.check
	v.check = func(all []string) error {
		if err := pairs(all); err != nil {
			return err
		}
		*to = make(map[string]string, len(all))
		for _, text := range all {
			from, name, _ := strings.Cut(text, mark)
			(*to)[strings.TrimSpace(from)] = strings.TrimSpace(name)
		}
		return nil
	}
	return v
}
