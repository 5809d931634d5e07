package losses

import (
	"fmt"
	"math"
)

// A Meaning describes the meaning of the margins, targets and values of a loss. Predictions, exports, reports and
// the validation of tables depend on it. The zero value describes a loss whose margin is the prediction, whose
// targets are any finite numbers, and for which targets must not be standardised.
type Meaning struct {
	// Classes reports whether the targets are two classes, +1 and −1, and the prediction is the probability of
	// +1. Otherwise the targets are numbers.
	Classes bool

	// Link relates margins to predictions. Losses of classes have the link Logit or a custom link whose
	// predictions are probabilities.
	Link Link

	// Valid reports whether the loss is defined for a finite target. nil means that all finite targets are
	// valid, or +1 and −1 for classes. Targets describes the valid targets in messages, as in "a count, 0 or
	// more".
	Valid   func(target float64) bool
	Targets string

	// Scalable reports whether numeric targets may be shifted and scaled before training. The prediction in
	// original units is then the margin, scaled and shifted back. This requires the link Identity, and that all
	// numbers are valid targets.
	Scalable bool

	// Unit is the unit of a value of the loss, such as "nats". If it is empty, the unit is that of the target
	// to the power Power; a Power of 0 means no unit.
	Unit  string
	Power int

	// About describes the loss in reports, as in "half the squared error". If it is empty, reports say "the
	// loss" with its name.
	About string
}

// A Link is an increasing function from predictions to margins. Its name is stored in model files, so that programs
// that do not know the loss can score with the model. Exports support Identity, Log and Logit only.
type Link struct {
	Name    string                           // "" for the identity
	Predict func(margin float64) float64     // returns the prediction for a margin; nil for the identity
	Margin  func(prediction float64) float64 // inverse of Predict, NaN if it does not exist; nil for the identity
}

// Links that exports and scorers support.
var (
	Identity = Link{}
	Log      = Link{Name: "log", Predict: math.Exp, Margin: logOf}
	Logit    = Link{Name: "logit", Predict: probability, Margin: logitOf}
)

// least is the smallest prediction for which margins are computed and, for probabilities, the smallest distance
// from 1. A prediction of 0 is replaced by least, so that its loss is finite.
const least = 0x1p-52

// logOf returns the logarithm, or NaN for negative numbers.
func logOf(mean float64) float64 {
	if mean >= 0 {
		mean = max(mean, least)
	}
	return math.Log(mean)
}

// logitOf returns the log-odds of a probability, or NaN outside [0, 1].
func logitOf(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	p = min(max(p, least), 1-least)
	return math.Log(p) - math.Log1p(-p)
}

// LinkNamed returns the link of this package with the given name; ok is false if there is none.
func LinkNamed(name string) (Link, bool) {
	for _, l := range []Link{Identity, Log, Logit} {
		if l.Name == name {
			return l, true
		}
	}
	return Link{}, false
}

// predictionAt returns the prediction for a margin.
func (l Link) predictionAt(margin float64) float64 {
	if l.Predict == nil {
		return margin
	}
	return l.Predict(margin)
}

// MarginOf returns the margin of a prediction, or NaN if it does not exist.
func (l Link) MarginOf(prediction float64) float64 {
	if l.Margin == nil {
		return prediction
	}
	return l.Margin(prediction)
}

// Accepts reports whether the loss is defined for a target.
func (m Meaning) Accepts(target float64) bool {
	switch {
	case math.IsNaN(target) || math.IsInf(target, 0):
		return false
	case m.Valid != nil:
		return m.Valid(target)
	}
	return !m.Classes || target == 1 || target == -1
}

// DescribeTargets describes the valid targets, as in "+1 or −1" or "a finite number".
func (m Meaning) DescribeTargets() string {
	switch {
	case m.Targets != "":
		return m.Targets
	case m.Classes:
		return "+1 or −1"
	case m.Valid != nil:
		return "a target for which the loss is defined"
	}
	return "a finite number"
}

// UnitOf returns the unit of a value of the loss if target is the unit of the target, such as "units of wage". It
// returns "" if the loss has no unit.
func (m Meaning) UnitOf(target string) string {
	switch {
	case m.Unit != "":
		return m.Unit
	case m.Power == 1:
		return target
	case m.Power == 2:
		return fmt.Sprintf("(%s)²", target)
	case m.Power != 0:
		return fmt.Sprintf("(%s)^%d", target, m.Power)
	}
	return ""
}

// check returns an error if the fields contradict each other.
func (m Meaning) check() error {
	switch {
	case m.Scalable && (m.Classes || m.Link.Name != "" || m.Link.Predict != nil || m.Valid != nil):
		return fmt.Errorf("a Scalable loss needs the link Identity and must accept every number as a target")
	case (m.Link.Predict == nil) != (m.Link.Margin == nil):
		return fmt.Errorf("the link %q needs both Predict and Margin, or neither", m.Link.Name)
	case (m.Link.Predict == nil) != (m.Link.Name == ""):
		return fmt.Errorf("a link with functions needs a name, and a link without functions must not have one; this link "+
			"is named %q", m.Link.Name)
	case m.Classes && m.Link.Predict == nil:
		return fmt.Errorf("a loss for two classes needs a link to probabilities, such as Logit")
	}
	known, ok := LinkNamed(m.Link.Name)
	for _, margin := range []float64{-1.3, 0, 0.7} {
		p := m.Link.predictionAt(margin)
		switch back := m.Link.MarginOf(p); {
		case ok && !(math.Abs(p-known.predictionAt(margin)) <= 1e-9*(1+math.Abs(p))):
			return fmt.Errorf("the link %q differs from the built-in link of this name, which predicts %v at margin %v, "+
				"not %v",
				m.Link.Name, known.predictionAt(margin), margin, p)
		case !(math.Abs(back-margin) <= 1e-6):
			return fmt.Errorf("the function Predict of the link %q returns %v at margin %v, but Margin of this prediction "+
				"returns %v", m.Link.Name, p, margin, back)
		case m.Classes && !(p >= 0 && p <= 1):
			return fmt.Errorf("the link %q of a classification loss predicts %v, which is not a probability", m.Link.Name, p)
		}
	}
	return nil
}
