package options

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/quote"
)

// A valueError says what a value must be, and perhaps which was meant.
type valueError struct{ must, hint string }

// Must returns an error that says what a value must be. The hint may be empty.
func Must(be, hint string) error { return &valueError{"must " + be, hint} }

func (e *valueError) Error() string { return e.must }
func (e *valueError) Hint() string  { return e.hint }

// Text returns an option for any text.
func Text(p *string) pflag.Value { return Word(p, "", func(string) bool { return true }) }

// One returns an option for the only element of a list.
func One(p *[]string) pflag.Value { return &oneValue{p} }

type oneValue struct{ p *[]string }

func (v *oneValue) String() string {
	if v.p == nil || len(*v.p) == 0 {
		return ""
	}
	return (*v.p)[0]
}
func (v *oneValue) Type() string { return "string" }
func (v *oneValue) Set(s string) error {
	*v.p = []string{s}
	return nil
}

// Switch returns an option that is true or false.
func Switch(p *bool) pflag.Value { return &switchValue{p} }

type switchValue struct{ p *bool }

func (v *switchValue) String() string {
	if v.p == nil {
		return ""
	}
	return strconv.FormatBool(*v.p)
}
func (v *switchValue) Type() string { return "bool" }
func (v *switchValue) Set(s string) error {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return Must("be true or false", "")
	}
	*v.p = b
	return nil
}

// Enum returns an option for one of some words.
func Enum(p *string, allowed []string) pflag.Value { return &enumValue{p, allowed} }

// enumValue returns an option with a fixed list of words.
type enumValue struct {
	p       *string
	allowed []string
}

func (v *enumValue) String() string {
	if v.p == nil {
		return ""
	}
	return *v.p
}
func (v *enumValue) Type() string { return strings.Join(v.allowed, "|") }
func (v *enumValue) Set(s string) error {
	for _, a := range v.allowed {
		if s == a {
			*v.p = s
			return nil
		}
	}
	return Must("be "+OrList(v.allowed), DidYouMean(s, v.allowed, ""))
}

// Word returns an option for a text that is valid; must says what it must be.
func Word(p *string, must string, valid func(string) bool) pflag.Value {
	return &wordValue{p, valid, must}
}

type wordValue struct {
	p     *string
	valid func(string) bool
	must  string
}

func (v *wordValue) String() string {
	if v.p == nil {
		return ""
	}
	return *v.p
}
func (v *wordValue) Type() string { return "string" }
func (v *wordValue) Set(s string) error {
	if !v.valid(s) {
		return Must(v.must, "")
	}
	*v.p = s
	return nil
}

// OrList joins words as "a", "a or b", "a, b or c".
func OrList(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}

// floatValue is a finite number within a range. A nil *p is "not given".
type floatValue struct {
	get   func() (float64, bool)
	set   func(float64)
	valid func(float64) bool
	must  string // "be at least 0"
}

func (v *floatValue) String() string {
	if v.get == nil {
		return ""
	}
	if x, ok := v.get(); ok {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return ""
}
func (v *floatValue) Type() string { return "float" }
func (v *floatValue) Set(s string) error {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return Must("be a number", "")
	case math.IsNaN(x) || math.IsInf(x, 0):
		return Must("be a finite number", "")
	case !v.valid(x):
		return Must(v.must, "")
	}
	v.set(x + 0) // a zero without a sign
	return nil
}

// Number returns an option for a finite number that is valid; must says what it must be, "be at
// least 0".
func Number(p *float64, must string, valid func(float64) bool) pflag.Value {
	return &floatValue{
		get:   func() (float64, bool) { return *p, true },
		set:   func(x float64) { *p = x },
		valid: valid, must: must,
	}
}

// AtLeastZero returns an option for a number of at least 0.
func AtLeastZero(p *float64) pflag.Value { return Number(p, "be at least 0", isAtLeastZero) }

// Positive returns an option for a number above 0.
func Positive(p *float64) pflag.Value { return Number(p, "be greater than 0", isPositive) }

func isAtLeastZero(x float64) bool { return x >= 0 }
func isPositive(x float64) bool    { return x > 0 }

// Optional returns an option for a number that need not be given: *p is nil then.
func Optional(p **float64, must string, valid func(float64) bool) pflag.Value {
	return &floatValue{
		get: func() (float64, bool) {
			if *p == nil {
				return 0, false
			}
			return **p, true
		},
		set:   func(x float64) { *p = &x },
		valid: valid, must: must,
	}
}

// OptionalAtLeastZero returns an option for a number of at least 0 that need not be given.
func OptionalAtLeastZero(p **float64) pflag.Value {
	return Optional(p, "be at least 0", isAtLeastZero)
}

// OptionalPositive returns an option for a number above 0 that need not be given.
func OptionalPositive(p **float64) pflag.Value { return Optional(p, "be greater than 0", isPositive) }

// OptionalShare returns an option for a number above 0 and at most 1 that need not be given.
func OptionalShare(p **float64) pflag.Value {
	return Optional(p, "be above 0 and at most 1", func(x float64) bool { return x > 0 && x <= 1 })
}

// Count returns an option for a whole number that is at least 0.
func Count(p *int) pflag.Value { return AtLeast(p, 0) }

// AtLeast returns an option for a whole number of at least the given size.
func AtLeast(p *int, least int) pflag.Value {
	return WholeNumber(p, fmt.Sprintf("be a whole number, at least %d", least), func(n int) bool { return n >= least })
}

// WholeNumber returns an option for a whole number that is valid.
func WholeNumber(p *int, must string, valid func(int) bool) pflag.Value {
	return &countValue{p, valid, must}
}

type countValue struct {
	p     *int
	valid func(int) bool
	must  string
}

func (v *countValue) String() string {
	if v.p == nil {
		return ""
	}
	return strconv.Itoa(*v.p)
}
func (v *countValue) Type() string { return "int" }
func (v *countValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || !v.valid(n) {
		return Must(v.must, "")
	}
	*v.p = n
	return nil
}

// Seed returns an option for a 64-bit seed.
func Seed(p *uint64) pflag.Value { return &seedValue{p} }

type seedValue struct{ p *uint64 }

func (v *seedValue) String() string {
	if v.p == nil {
		return ""
	}
	return strconv.FormatUint(*v.p, 10)
}
func (v *seedValue) Type() string { return "int" }
func (v *seedValue) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return Must("be a whole number from 0 to 18446744073709551615", "")
	}
	*v.p = n
	return nil
}

// List returns an option for a list of names.
func List(p *[]string) *ListValue { return &ListValue{p: p} }

// A ListValue is a list of names: comma-separated, quoted as in CSV when a name
// holds a comma, say, and repeatable.
type ListValue struct {
	p    *[]string
	set  bool                     // given on the command line already: the next one appends
	take func(all []string) error // looks at the names before they are kept; may be nil
}

func (v *ListValue) String() string {
	if v.p == nil {
		return ""
	}
	return strings.Join(*v.p, ",")
}
func (v *ListValue) Type() string { return "names" }

// Names returns the names of the list.
func (v *ListValue) Names() []string { return *v.p }

// CSV writes the list so that Set reads it back.
func (v *ListValue) CSV() string { return quote.Names(*v.p) }

func (v *ListValue) Set(s string) error {
	names, err := quote.Split(s)
	if err != nil {
		return Must("be a comma-separated list of names", "")
	}
	return v.add(names)
}

// maxNames limits the names of a list, for the time to find them among the columns.
const maxNames = 10_000

// add takes names as they are, commas and all. None is empty: no column's is.
func (v *ListValue) add(names []string) error {
	if i := slices.Index(names, ""); i >= 0 {
		return &valueError{must: fmt.Sprintf("name %d of %d is empty", i+1, len(names))}
	}
	if v.set {
		names = append(*v.p, names...)
	}
	if len(names) > maxNames {
		return &valueError{must: fmt.Sprintf("must have at most %d names, not %d", maxNames, len(names))}
	}
	if v.take != nil {
		if err := v.take(names); err != nil {
			return err
		}
	}
	*v.p, v.set = names, true
	return nil
}

// Some returns an option for a list of some of the words.
func Some(p *[]string, allowed []string) *ListValue {
	return &ListValue{p: p, take: func(all []string) error {
		for _, name := range all {
			if !slices.Contains(allowed, name) {
				return Must("be some of "+strings.Join(allowed, ", "), DidYouMean(name, allowed, ""))
			}
		}
		return nil
	}}
}

// Pairs returns an option that is a list of texts with a mark in each:
// column=level.
func Pairs(p *[]string, mark string) *ListValue {
	return &ListValue{p: p, take: func(all []string) error {
		for _, text := range all {
			if key, _, ok := strings.Cut(text, mark); !ok || strings.TrimSpace(key) == "" {
				return Must("be a list of A"+mark+"B", "")
			}
		}
		return nil
	}}
}

// Names returns an option that gives texts other names: 'a->b,c->d'.
func Names(to *map[string]string, mark string) *ListValue {
	v := Pairs(new([]string), mark)
	check := v.take
	v.take = func(all []string) error {
		if err := check(all); err != nil {
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
