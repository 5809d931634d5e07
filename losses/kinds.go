package losses

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Kind describes a loss that programs ask for by name. A loss is added to this product by its
// type, with the methods of Loss, and an entry in kinds.
type Kind struct {
	Name     string
	Classes  bool // targets are two classes, ±1; else numbers
	Brier    bool // also measures probabilities of two classes, as numbers from 0 to 1
	HasDelta bool // has a parameter δ > 0, in target units

	build func(delta float64) Loss
}

// kinds lists the losses by name, those of two classes first.
var kinds = []Kind{
	{Name: "logistic", Classes: true, build: func(float64) Loss { return Logistic{} }},
	{Name: "squared", Brier: true, build: func(float64) Loss { return Squared{} }},
	{Name: "huber", HasDelta: true, build: func(delta float64) Loss { return Huber{Delta: delta} }},
}

// Register adds a loss of the caller under its name, so that train.Config.Loss, model files and
// evaluations know it. classes says that its targets are two classes, ±1; a model then predicts the
// logistic function of the margin. A name that is taken is an error. Call it before anything else
// uses the loss, from an init function for example, also in programs that read such models.
func Register(loss Loss, classes bool) error {
	name := loss.Name()
	if _, taken := KindOf(name); taken || name == "" {
		return fmt.Errorf("losses: the name %q is empty or taken", name)
	}
	kinds = append(slices.Clone(kinds), Kind{Name: name, Classes: classes, build: func(float64) Loss { return loss }})
	return nil
}

// Kinds returns all losses that have a name.
func Kinds() []Kind { return slices.Clone(kinds) }

// Names returns the names of the losses that keep reports true for: nil for all.
func Names(keep func(Kind) bool) (names []string) {
	for _, k := range kinds {
		if keep == nil || keep(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// KindOf returns the loss of this name and reports whether there is one.
func KindOf(name string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// HasDelta reports whether the loss of this name has a parameter δ.
func HasDelta(name string) bool {
	k, _ := KindOf(name)
	return k.HasDelta
}

// DefaultName returns the name of the loss of a task: of two classes, or of numbers.
func DefaultName(classes bool) string {
	return Names(func(k Kind) bool { return k.Classes == classes })[0]
}

// New returns the loss; delta is its δ, ignored by a loss without one.
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

// Measures reports whether the loss can be computed from scores alone: probabilities of two classes,
// or predictions of numbers.
func (k Kind) Measures(classes bool) bool { return k.Classes == classes || classes && k.Brier }

// Parse returns the loss called name; delta is its δ, ignored by a loss without one.
func Parse(name string, delta float64) (Loss, error) {
	k, ok := KindOf(name)
	if !ok {
		return nil, fmt.Errorf("unknown loss %q: %s", name, Either(Names(nil)))
	}
	return k.New(delta)
}

// Either joins names into a choice: "a, b or c".
func Either(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// ByMean is the ability of a Loss to return the constant margin of least average loss from the mean of
// the targets alone. A loss without it has its constant searched for.
type ByMean interface{ ConstantMargin(mean float64) float64 }

// OfResidual is the ability of a Loss to be a function of the margin less the target, which may then
// be moved together.
type OfResidual interface{ OfResidual() bool }
