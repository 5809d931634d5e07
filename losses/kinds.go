package losses

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/drotrain/drotrain/internal/printable"
)

// A Kind describes a loss that can be selected by name. To add a loss to this package, add its type, with the
// methods of Loss, and an entry in builtin.
type Kind struct {
	Name     string
	Meaning         // meaning of the margins and targets
	Brier    bool   // also applies to probabilities of two classes, as numbers from 0 to 1
	HasDelta bool   // has a parameter δ > 0, in units of the target
	HasLevel bool   // the name requires a level in (0, 1) after a colon, as in quantile:0.9
	level    string // the text that followed the colon

	build func(parameter float64) Loss
}

// builtin lists the losses of this package; those for two classes come first.
var builtin = []Kind{
	{Name: "logistic", build: func(float64) Loss { return Logistic{} }},
	{Name: "squared", Brier: true, build: func(float64) Loss { return Squared{} }},
	{Name: "huber", HasDelta: true, build: func(delta float64) Loss { return Huber{Delta: delta} }},
	{Name: "poisson", build: func(float64) Loss { return Poisson{} }},
	{Name: "quantile", HasLevel: true, build: func(level float64) Loss { return Quantile{Level: level} }},
}

// registered holds the losses that callers have registered.
var registered struct {
	sync.RWMutex
	kinds []Kind
}

// kinds returns the losses of this package and the losses that callers registered.
func kinds() []Kind {
	registered.RLock()
	defer registered.RUnlock()
	out := slices.Concat(builtin, registered.kinds)
	for i := range out {
		out[i].Meaning = out[i].build(0.5).Meaning()
	}
	return out
}

// Register adds the caller's loss under its name, so that train.Config.Loss, model files and evaluations can use
// it. It returns an error if the loss is nil; if its name is empty, already used or contains a colon, a comma or
// white space; if the loss breaks its contract for one of a few targets (see Check); or if its Meaning is
// inconsistent. Call it before the loss is used, for example in an init function. Programs that evaluate models with
// this loss must call it too; programs that only predict need not if the link of the loss is defined in this package.
// It is safe for concurrent use.
func Register(loss Loss) error {
	if loss == nil {
		return errors.New("losses: the loss is nil")
	}
	name := loss.Name()
	if name == "" || strings.ContainsAny(name, ":, \t\n") {
		return fmt.Errorf("losses: %q cannot be the name of a loss: a name must not be empty or contain a colon, a comma or "+
			"white space", name)
	}
	if err := checkForeign(loss, []float64{-1, 0, 1, 2.3, 7, -0.45, 0.62}); err != nil {
		return err
	}
	registered.Lock()
	defer registered.Unlock()
	taken := func(k Kind) bool { return k.Name == name }
	if slices.ContainsFunc(builtin, taken) || slices.ContainsFunc(registered.kinds, taken) {
		return fmt.Errorf("losses: a loss named %q is already registered", name)
	}
	registered.kinds = append(slices.Clone(registered.kinds), Kind{Name: name, build: func(float64) Loss { return loss }})
	return nil
}

// Names returns the names of the losses for which keep returns true; a nil keep accepts all.
func Names(keep func(Kind) bool) (names []string) {
	for _, k := range kinds() {
		if keep == nil || keep(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// KindOf returns the kind of the loss with the given name, and reports whether there is one. The name of a loss with
// a level may include a colon and the level, without which Kind.New returns an error.
func KindOf(name string) (Kind, bool) {
	name, level, _ := strings.Cut(name, ":")
	all := kinds()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.Name == name })
	if i < 0 || level != "" && !all[i].HasLevel {
		return Kind{}, false
	}
	k := all[i]
	if k.level = level; level != "" {
		loss, err := k.New(0)
		if err != nil {
			return Kind{}, false
		}
		k.Meaning = loss.Meaning()
	}
	return k, true
}

// HasDelta reports whether the named loss has a parameter δ.
func HasDelta(name string) bool {
	k, _ := KindOf(name)
	return k.HasDelta
}

// DefaultName returns the name of the default loss: logistic if classes is set, and squared otherwise.
func DefaultName(classes bool) string {
	return Names(func(k Kind) bool { return k.Classes == classes })[0]
}

// New returns the loss. delta is the parameter δ; losses without this parameter ignore it. It returns an error if the
// level or δ is missing or out of range.
func (k Kind) New(delta float64) (Loss, error) {
	if k.build == nil {
		return nil, errors.New("the Kind has no loss: use a Kind that KindOf returns")
	}
	if k.HasLevel {
		level, err := strconv.ParseFloat(k.level, 64)
		if err != nil || !(level > 0 && level < 1) {
			return nil, fmt.Errorf("%s needs a level between 0 and 1 after a colon, as in %s:0.9, not %q", k.Name, k.Name,
				k.level)
		}
		return k.build(level), nil
	}
	l := k.build(delta)
	return l, validate(l)
}

// validate returns an error if a parameter of a loss of this package is out of its range.
func validate(l Loss) error {
	isPositive := func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	switch l := l.(type) {
	case Huber:
		if !isPositive(l.Delta) {
			return fmt.Errorf("%s: δ is %v; it must be positive and finite", l.Name(), l.Delta)
		}
	case Quantile:
		if !(l.Level > 0 && l.Level < 1) {
			return fmt.Errorf("quantile: the level is %v; it must be between 0 and 1", l.Level)
		}
		if !isPositive(l.width()) {
			return fmt.Errorf("%s: the width is %v; it must be positive and finite, or 0 for the default", l.Name(), l.Width)
		}
	}
	return nil
}

// Label returns the name of the loss with its parameter, such as huber(δ=1) or quantile:0.9.
func (k Kind) Label(delta float64) string {
	switch {
	case k.HasDelta:
		return fmt.Sprintf("%s(δ=%g)", k.Name, delta)
	case k.HasLevel:
		return k.Name + ":" + k.level
	}
	return k.Name
}

// Measures reports whether the loss can be computed from predictions, which are probabilities of the positive class
// if classes is set, and numbers otherwise.
func (k Kind) Measures(classes bool) bool { return k.Classes == classes || classes && k.Brier }

// Parse returns the loss with the given name, which may include a colon and a level, as in quantile:0.9. delta is
// the parameter δ of losses that have one.
func Parse(name string, delta float64) (Loss, error) {
	first, level, _ := strings.Cut(name, ":")
	k, ok := KindOf(first)
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown loss %q; the loss must be %s", name, printable.JoinWords(Names(nil), "or"))
	case level != "" && !k.HasLevel:
		return nil, fmt.Errorf("the loss %s takes no level after a colon: %q", first, name)
	}
	k.level = level
	return k.New(delta)
}

// ByMean is implemented by losses for which the best constant margin depends only on the mean of the targets.
// ConstantMargin returns that margin. For other losses package train searches for it.
type ByMean interface{ ConstantMargin(mean float64) float64 }
