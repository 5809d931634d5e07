package options

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
)

// A textValue is an option whose text sets several fields.
type textValue struct {
	kind string
	text string // as it was set last, or the default
	set  func(text string) error
}

func (v *textValue) String() string { return v.text }
func (v *textValue) Type() string   { return v.kind }
func (v *textValue) Set(text string) error {
	if err := v.set(text); err != nil {
		return err
	}
	v.text = text
	return nil
}

// Holdout returns the option of the rows that a model is measured on, as SetHoldout reads them, or
// auto; crossfit says whether rows may be cross-fitted.
func Holdout(s *Settings, crossfit bool) pflag.Value {
	before := ""
	return &textValue{kind: "rows", text: Auto, set: func(text string) error {
		if before != "" && before != text {
			return Must("be given once: it is also "+before, "a proportion may stand before time: and units:, as in --holdout 0.3,time:date")
		}
		before = text
		if s.Measure = Auto; text == Auto {
			return nil
		}
		err := s.Config.SetHoldout(text)
		if err == nil && s.Config.Evaluate == train.EvaluateCrossfit && !crossfit {
			err = Must("hold rows out", "")
		}
		if err != nil {
			return &valueError{err.Error(), "as in --holdout 0.2 or --holdout 0.3,time:date"}
		}
		s.Measure = cmp.Or(s.Config.Evaluate, train.EvaluateHoldout)
		return nil
	}}
}

// Loss returns the option of the loss, as SetLoss reads it.
func Loss(s *Settings) pflag.Value {
	names := losses.Names(nil)
	return &textValue{kind: strings.Join(names, "|"), set: func(text string) error {
		name, _, _ := strings.Cut(text, ":")
		switch err := s.Config.SetLoss(text); {
		case err == nil:
			return nil
		case !slices.Contains(names, name):
			return Must("be "+OrList(names), DidYouMean(name, names, ""))
		default:
			return &valueError{err.Error(), ""}
		}
	}}
}

// Transform returns the option of the functions of columns, as SetTransforms reads them.
func Transform(s *Settings) pflag.Value {
	return &ListValue{p: new([]string), take: func(all []string) error {
		if err := s.Config.SetTransforms(all); err != nil {
			return &valueError{err.Error(), "as in --transform income:log,age:spline4"}
		}
		return nil
	}}
}

// Scale returns the option of the units in which numbers are fitted.
func Scale(s *Settings) pflag.Value {
	v := Enum(&s.Config.Scale, []string{"standard", "none"})
	return &enumWith{v.(*enumValue), func() { s.Config.ScaleTarget = s.Config.Scale == "standard" }}
}

// enumWith is an option of words that sets more than its own field.
type enumWith struct {
	*enumValue
	then func()
}

func (v *enumWith) Set(text string) error {
	err := v.enumValue.Set(text)
	if err == nil {
		v.then()
	}
	return err
}

// GroupFeatures returns the option of the group columns as features, as SetGroupFeatures reads it.
func GroupFeatures(s *Settings, words ...string) pflag.Value {
	return &textValue{kind: strings.Join(words, "|"), text: words[len(words)-1], set: func(text string) error {
		if err := s.Config.SetGroupFeatures(text); err != nil {
			return Must("be "+strings.Join(words[:len(words)-1], ", ")+" or "+words[len(words)-1], "")
		}
		return nil
	}}
}

// Memory returns the option of the memory to use, as SetMemory reads it.
func Memory(s *Settings) pflag.Value {
	return &textValue{kind: "size", set: func(text string) error {
		if s.Config.SetMemory(text) != nil {
			return Must("be a number of bytes, or 0 for rows on disk", "as in 400MB or 12GB")
		}
		return nil
	}}
}
