package losses

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Kind describes a loss that can be selected by name. To add a loss to this package, add its type, with the
// methods of Loss, and an entry in kinds.
type Kind struct {
	Name     string
	Classes  bool // targets are two classes, ±1; else numbers
	Brier    bool // also measures probabilities of two classes, as numbers from 0 to 1
	HasDelta bool // has a parameter δ > 0, in target units

	build func(delta float64) Loss
}

// kinds lists the losses with names, those for two classes first.
var kinds = []Kind{
	{Name: "logistic", Classes: true, build: func(float64) Loss { return Logistic{} }},
	{Name: "squared", Brier: true, build: func(float64) Loss { return Squared{} }},
	{Name: "huber", HasDelta: true, build: func(delta float64) Loss { return Huber{Delta: delta} }},
}

// Register adds the caller's loss under its name, so that train.Config.Loss, model files and evaluations can
// use it. classes says that the targets are two classes, ±1; a model then predicts the logistic function of the
// margin. It returns an error if the name is taken. Call it before the loss is used, for example from an init
// function, also in programs that only read such models.
func Register(loss Loss, classes bool) error {
	name := loss.Name()
	if _, taken := KindOf(name); taken || name == "" {
		return fmt.Errorf("losses: the name %q is empty or taken", name)
	}
	kinds = append(slices.Clone(kinds), Kind{Name: name, Classes: classes, build: func(float64) Loss { return loss }})
	return nil
}

// Kinds returns all losses with names.
func Kinds() []Kind { return slices.Clone(kinds) }

// Names returns the names of the losses for which keep returns true; a nil keep accepts all.
func Names(keep func(Kind) bool) (names []string) {
	for _, k := range kinds {
		if keep == nil || keep(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// KindOf returns the loss with the given name and whether there is one.
func KindOf(name string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// HasDelta reports whether the named loss has a parameter δ.
func HasDelta(name string) bool {
	k, _ := KindOf(name)
	return k.HasDelta
}

// DefaultName returns the name of the default loss for two classes or for numbers.
func DefaultName(classes bool) string {
	return Names(func(k Kind) bool { return k.Classes == classes })[0]
}

// New returns the loss. delta is its parameter δ, which losses without one ignore.
func (k Kind) New(delta float64) (Loss, error) {
	if k.HasDelta && (!(delta > 0) || math.IsInf(delta, 1)) {
		return nil, fmt.Errorf("%s: δ must be positive and finite, got %v", k.Name, delta)
	}
	return k.build(delta), nil
}

// Label returns the name of the loss with its parameter.
func (k Kind) Label(delta float64) string {
	if k.HasDelta {
		return fmt.Sprintf("%s(δ=%g)", k.Name, delta)
	}
	return k.Name
}

// Measures reports whether the loss can be computed from scores: probabilities of two classes, or predictions
// of numbers.
func (k Kind) Measures(classes bool) bool { return k.Classes == classes || classes && k.Brier }

// Parse returns the named loss. delta is its parameter δ, which losses without one ignore.
func Parse(name string, delta float64) (Loss, error) {
	k, ok := KindOf(name)
	if !ok {
		return nil, fmt.Errorf("unknown loss %q: %s", name, Either(Names(nil)))
	}
	return k.New(delta)
}

// Either joins names as in "a, b or c".
func Either(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// ByMean is implemented by losses whose best constant margin depends only on the mean of the targets. For other
// losses it is found by a search.
type ByMean interface{ ConstantMargin(mean float64) float64 }

// OfResidual is implemented by losses that are functions of the margin minus the target, so that both may be
// shifted together.
type OfResidual interface{ OfResidual() bool }
