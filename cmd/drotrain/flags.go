package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A valueError says what a value must be, and perhaps which was meant.
type valueError struct{ must, hint string }

func (e *valueError) Error() string { return e.must }
func (e *valueError) Hint() string  { return e.hint }

// enumValue is an option with a fixed list of words.
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
	return &valueError{"must be " + orList(v.allowed), didYouMean(s, v.allowed, "")}
}

// orList joins words as "a", "a or b", "a, b or c".
func orList(words []string) string {
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
		return &valueError{must: "must be a number"}
	case math.IsNaN(x) || math.IsInf(x, 0):
		return &valueError{must: "must be a finite number"}
	case !v.valid(x):
		return &valueError{must: "must " + v.must}
	}
	v.set(x)
	return nil
}

func number(p *float64, must string, valid func(float64) bool) *floatValue {
	return &floatValue{
		get:   func() (float64, bool) { return *p, true },
		set:   func(x float64) { *p = x },
		valid: valid, must: must,
	}
}

// atLeastZero, positive, fraction and optional are the ranges in use.
func atLeastZero(p *float64) *floatValue {
	return number(p, "be at least 0", func(x float64) bool { return x >= 0 })
}

func positive(p *float64) *floatValue {
	return number(p, "be greater than 0", func(x float64) bool { return x > 0 })
}

func fraction(p *float64) *floatValue {
	return number(p, "be at least 0 and less than 1", func(x float64) bool { return x >= 0 && x < 1 })
}

func optionalAtLeastZero(p **float64) *floatValue {
	return &floatValue{
		get:   optional(p),
		set:   func(x float64) { *p = &x },
		valid: func(x float64) bool { return x >= 0 },
		must:  "be at least 0",
	}
}

func optionalPositive(p **float64) *floatValue {
	v := optionalAtLeastZero(p)
	v.valid, v.must = func(x float64) bool { return x > 0 }, "be greater than 0"
	return v
}

// countValue is a whole number that is at least 0.
type countValue struct{ p *int }

func (v *countValue) String() string {
	if v.p == nil {
		return ""
	}
	return strconv.Itoa(*v.p)
}
func (v *countValue) Type() string { return "int" }
func (v *countValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return &valueError{must: "must be a whole number, at least 0"}
	}
	*v.p = n
	return nil
}

// seedValue is a 64-bit seed.
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
		return &valueError{must: "must be a whole number from 0 to 18446744073709551615"}
	}
	*v.p = n
	return nil
}

// listValue is a list of names: comma-separated, quoted as in CSV when a name
// holds a comma, and repeatable.
type listValue struct {
	p   *[]string
	set bool // given on the command line already: the next one appends
}

func (v *listValue) String() string {
	if v.p == nil {
		return ""
	}
	return strings.Join(*v.p, ",")
}
func (v *listValue) Type() string { return "names" }

// csv writes the list so that Set reads it back.
func (v *listValue) csv() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(*v.p)
	w.Flush()
	return strings.TrimRight(b.String(), "\n")
}

func (v *listValue) Set(s string) error {
	var names []string
	if strings.TrimSpace(s) != "" {
		r := csv.NewReader(strings.NewReader(s))
		r.TrimLeadingSpace = true
		fields, err := r.Read()
		if err != nil || strings.ContainsAny(s, "\r\n") {
			return &valueError{must: "must be a comma-separated list of names"}
		}
		names = fields
	}
	return v.add(names)
}

// add takes names as they are, commas and all.
func (v *listValue) add(names []string) error {
	for i, n := range names {
		if n = strings.TrimSpace(n); n == "" {
			return &valueError{must: fmt.Sprintf("name %d of %d is empty", i+1, len(names))}
		}
		names[i] = n
	}
	if v.set {
		names = append(*v.p, names...)
	}
	*v.p, v.set = names, true
	return nil
}
