package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
)

// checkUnused returns an error that names settings that have no effect, or a regulariser that is missing.
func (c *Config) checkUnused() error {
	standard := DefaultConfig()
	var wrong []string
	if c.Penalty != standard.Penalty && !c.Level.HasDivergence() {
		wrong = append(wrong,
			fmt.Sprintf("Config.Penalty %s needs Config.Nu, Config.Radius or Config.Ess, but none of them is set", c.Penalty))
	}
	if c.Adversary != "" && !c.Level.IsSet() {
		wrong = append(wrong, fmt.Sprintf("Config.Adversary %s needs a robustness setting, but none is set", c.Adversary))
	}
	if c.HuberDelta != standard.HuberDelta && !losses.HasDelta(c.Loss) {
		wrong = append(wrong, fmt.Sprintf("Config.HuberDelta is %v, but the loss %s has no δ", c.HuberDelta, c.Loss))
	}
	if r := c.Regulariser; r != nil && r.Primal == nil {
		wrong = append(wrong, fmt.Sprintf("the regulariser %q is defined in the program that trained the model: set "+
			"Config.Regulariser.Primal to its definition", r.Name))
	}
	if c.hasValidation() && c.Level.IsSet() && c.Average != level.ValidationSubsets {
		wrong = append(wrong, "validation rows are for choosing the robustness, but it is set: leave out the validation "+
			"rows or the robustness setting")
	}
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

// Validate returns all errors in the settings that do not depend on the data. Settings that are not set count as their
// defaults. Fit calls it first.
func (c *Config) Validate() error {
	full := *c
	full.setDefaults()
	return full.validate()
}

// validate works like Validate for settings whose defaults have been set.
func (c *Config) validate() error {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if c.Target == "" {
		say("no target: name the column to predict")
	}
	if c.Threads < 0 {
		say("Config.Threads is %d; it must be at least 1, or 0 for as many as the process may use", c.Threads)
	}
	if c.NoBaseline && (!c.Level.IsSet() || c.Average != "") {
		say("Config.NoBaseline needs a robustness setting other than Config.Average")
	}
	if r := c.Regulariser; r != nil {
		switch {
		case r.Name == "":
			say("Config.Regulariser needs a Name, which model files and reports state")
		case !c.Level.IsSet():
			say("Config.Regulariser %s needs a robustness setting, but none is set", r.Name)
		case c.Wasserstein != nil || c.IsMeanOfModels():
			say("Config.Regulariser %s cannot be combined with Config.Wasserstein or the mean of models on balanced subsets",
				r.Name)
		}
	}
	if c.Loss != "" {
		if _, err := losses.Parse(c.Loss, 1); err != nil {
			say("Config.Loss: %v", err)
		} else if kind, _ := losses.KindOf(c.Loss); c.TargetTransform != "" && kind.Link.Name != "" {
			say("Config.TargetTransform %s is for losses whose margin is the prediction, but the loss %s has the link %s",
				c.TargetTransform, c.Loss, kind.Link.Name)
		}
	}
	for _, e := range []struct {
		what, value string
		among       []string
	}{
		{"Scale", c.Scale, []string{"standard", "max", "none"}},
		{"Evaluate", c.Evaluate, []string{"", EvaluateHoldout, EvaluateCrossfit}},
		{"GroupCoefficients", c.GroupCoefficients, []string{"", groupCoefficientsNo, groupCoefficientsPooled,
			groupCoefficientsAuto}},
		{"Impute", c.Impute, []string{"error", "mean", "median", "drop"}},
		{"Storage", c.Storage, append(design.Storages(), "")},
		{"Solver", c.Solver, solverNames()},
	} {
		if !slices.Contains(e.among, e.value) {
			say("Config.%s is %q; it must be one of %q", e.what, e.value, e.among)
		}
	}
	for _, e := range []struct {
		what  string
		value float64
		ok    bool
		want  string
	}{
		{"HuberDelta", c.HuberDelta, c.HuberDelta > 0, "> 0"},
		{"Gap", c.Gap, c.Gap > 0, "> 0"},
		{"MaxPasses", c.MaxPasses, c.MaxPasses > 0, "> 0"},
		{"Holdout", c.Holdout, c.Holdout >= 0 && c.Holdout < 1, "in [0, 1)"},
		{"Threshold", valueOrZero(c.Threshold), valueOrZero(c.Threshold) >= 0 && valueOrZero(c.Threshold) <= 1, "in [0, 1]"},
		{"Mu", valueOrZero(c.Mu), valueOrZero(c.Mu) >= 0, "≥ 0"},
	} {
		if !e.ok || math.IsInf(e.value, 0) {
			say("Config.%s is %v; it must be finite and %s", e.what, e.value, e.want)
		}
	}
	bent, against := map[string]bool{}, map[string]bool{}
	for _, s := range c.Spline {
		column, knots := cutKnots(s)
		if _, err := strconv.Atoi(knots); err != nil {
			say("Config.Spline %q: write column:knots", s)
		} else if bent[column] {
			say("Config.Spline: column %q is listed twice", column)
		}
		bent[column] = true
	}
	for _, s := range c.Interact {
		if strings.Count(s, ":") != 1 {
			say("Config.Interact %q: write column:column, of columns without a colon in their names", s)
		}
	}
	for _, s := range c.Reference {
		if column, _, _ := strings.Cut(s, "="); against[column] {
			say("Config.Reference: column %q is listed twice", column)
		} else {
			against[column] = true
		}
	}
	ways := len(slices.DeleteFunc([]string{c.HoldoutData, c.Split, c.GroupHoldout, c.Time},
		func(way string) bool { return way == "" }))
	if ways > 1 || ways > 0 && c.Rows != nil {
		say("Config.HoldoutData, Config.Split, Config.GroupHoldout and Config.Time each choose the hold-out rows: set " +
			"only one of them")
	}
	if c.ValidationData != "" && c.ValidationSplit != "" || c.ValidationData+c.ValidationSplit != "" && c.Rows != nil {
		say("Config.ValidationData, Config.ValidationSplit and Config.Rows each choose the validation rows: set only one " +
			"of them")
	}
	if c.hasValidation() && c.Evaluate == EvaluateCrossfit {
		say("Config.Evaluate crossfit cannot be combined with validation rows: evaluate on hold-out rows instead " +
			"(Config.Holdout)")
	}
	if c.Average == level.ValidationSubsets && !c.hasValidation() {
		say("Config.Average %s needs validation rows: set Config.ValidationData or Config.ValidationSplit", c.Average)
	}
	for _, err := range []error{c.Level.Validate(), c.Choice.validate()} {
		if err != nil {
			say("%v", err)
		}
	}
	if c.Evaluate == EvaluateCrossfit && (ways > 0 || c.Holdout > 0) {
		say("Config.Evaluate crossfit evaluates on all rows: set Config.Holdout to 0. Crossfit cannot be combined with " +
			"Config.HoldoutData, Config.Split, Config.GroupHoldout or Config.Time")
	}
	if c.Threshold != nil && c.Loss != "" && !isClassLoss(c.Loss) {
		say("Config.Threshold is for two classes, but the loss %s predicts numbers", c.Loss)
	}
	if c.Recalibrate && c.Loss != "" && !isClassLoss(c.Loss) {
		say("Config.Recalibrate is for two classes, but the loss %s predicts numbers", c.Loss)
	}
	if kind, _ := losses.KindOf(c.Loss); c.Exposure != "" && kind.Link.Name != losses.Log.Name {
		loss := "no loss is set"
		if c.Loss != "" {
			loss = "the loss is " + c.Loss
		}
		say("Config.Exposure needs a loss whose link is the logarithm, such as poisson; %s", loss)
	}
	if c.Exposure != "" && (slices.Contains([]string{c.Target, c.Weight}, c.Exposure) ||
		slices.Contains(c.Features, c.Exposure) || slices.Contains(c.Groups, c.Exposure)) {
		say("Config.Exposure: column %q is also the target, the weight, a feature or a group", c.Exposure)
	}
	if c.Weight != "" && (c.Weight == c.Target || slices.Contains(c.Features, c.Weight) ||
		slices.Contains(c.Groups, c.Weight)) {
		say("Config.Weight: column %q is also the target, a feature or a group", c.Weight)
	}
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

// valueOrZero returns *p, or 0 if p is nil.
func valueOrZero(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}
