package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/losses"
)

// unused returns an error that names the settings which the others leave without an effect,
// where they are not the default ones.
func (c *Config) unused() error {
	standard := DefaultConfig()
	var wrong []string
	if c.Penalty != standard.Penalty && !c.Level.Divergent() {
		wrong = append(wrong, fmt.Sprintf("penalty %s is the divergence of a level that nu, radius, ess or bound-confidence sets, and none of them is set", c.Penalty))
	}
	if c.Adversary != "" && !c.Level.Chosen() {
		wrong = append(wrong, fmt.Sprintf("adversary %s is that of a level, and none is set", c.Adversary))
	}
	if c.HuberDelta != standard.HuberDelta && c.Loss != "huber" {
		wrong = append(wrong, fmt.Sprintf("huber-delta is %v, but the loss is not huber", c.HuberDelta))
	}
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

// Validate reports every setting that cannot be used, whatever the data; what is not set has its
// default. Fit calls it first.
func (c *Config) Validate() error {
	full := *c
	full.setDefaults()
	return full.validate()
}

// validate works like Validate of a configuration in which everything is set.
func (c *Config) validate() error {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if c.Target == "" {
		say("no target: name the column to predict")
	}
	if c.Threads < 0 {
		say("%d threads: at least 1, or 0 for as many as the process has", c.Threads)
	}
	if c.NoBaseline && (!c.Level.Chosen() || c.Average != "") {
		say("without baselines there must be a level of robustness, other than a plain average")
	}
	for _, e := range []struct {
		what, value string
		among       []string
	}{
		{"loss", c.Loss, append([]string{""}, losses.Names(nil)...)},
		{"scale", c.Scale, []string{"standard", "none"}},
		{"evaluate", c.Evaluate, []string{"", EvaluateHoldout, EvaluateCrossfit}},
		{"group coefficients", c.GroupCoefficients, []string{"", GroupCoefficientsNo, GroupCoefficientsPooled, GroupCoefficientsAuto}},
		{"impute", c.Impute, []string{"error", "mean", "median", "drop"}},
		{"storage", c.Storage, append(data.Storages(), "")},
		{"solver", c.Solver, Solvers()},
	} {
		if !slices.Contains(e.among, e.value) {
			say("unknown %s %q: one of %q", e.what, e.value, e.among)
		}
	}
	for _, e := range []struct {
		what  string
		value float64
		ok    bool
		want  string
	}{
		{"huber-delta", c.HuberDelta, c.HuberDelta > 0, "> 0"},
		{"gap", c.Gap, c.Gap > 0, "> 0"},
		{"max-passes", c.MaxPasses, c.MaxPasses > 0, "> 0"},
		{"holdout", c.Holdout, c.Holdout >= 0 && c.Holdout < 1, "in [0, 1)"},
	} {
		if !e.ok || math.IsInf(e.value, 0) {
			say("%s is %v: it must be finite and %s", e.what, e.value, e.want)
		}
	}
	bent, against := map[string]bool{}, map[string]bool{}
	for _, s := range c.Spline {
		column, knots := knotted(s)
		if _, err := strconv.Atoi(knots); err != nil {
			say("spline %q: write column:knots", s)
		} else if bent[column] {
			say("spline: column %q is named twice", column)
		}
		bent[column] = true
	}
	for _, s := range c.Interact {
		if strings.Count(s, ":") != 1 {
			say("interact %q: write column:column, of columns without a colon in their names", s)
		}
	}
	for _, s := range c.Reference {
		if column, _, _ := strings.Cut(s, "="); against[column] {
			say("reference: column %q is named twice", column)
		} else {
			against[column] = true
		}
	}
	ways := 0
	for _, way := range []string{c.HoldoutData, c.Split, c.GroupHoldout, c.Time} {
		if way != "" {
			ways++
		}
	}
	if ways > 1 || ways > 0 && c.Rows != nil {
		say("holdout-data, split, group-holdout and time are ways to choose the rows held out: choose one")
	}
	for _, err := range []error{c.Level.Validate(), c.Choice.validate()} {
		if err != nil {
			say("%v", err)
		}
	}
	if c.Evaluate == EvaluateCrossfit && ways > 0 {
		say("evaluate crossfit measures all rows: it does not go with holdout-data, split, group-holdout or time")
	}
	if c.Evaluate == EvaluateCrossfit && c.Holdout > 0 {
		say("evaluate crossfit measures all rows: set holdout to 0")
	}
	if c.Threshold != nil && !(*c.Threshold >= 0 && *c.Threshold <= 1) {
		say("threshold is %v: it must lie between 0 and 1", *c.Threshold)
	}
	if c.Threshold != nil && c.Loss != "" && !classes(c.Loss) {
		say("threshold is for two classes: a %s loss predicts numbers", c.Loss)
	}
	if c.Recalibrate && c.Loss != "" && !classes(c.Loss) {
		say("recalibrate is for the logistic loss: a %s loss has no scores to recalibrate", c.Loss)
	}
	if c.Weight != "" && (c.Weight == c.Target || slices.Contains(c.Features, c.Weight) || slices.Contains(c.Groups, c.Weight)) {
		say("weight column %q is the target, a feature or a group as well", c.Weight)
	}
	if c.Mu != nil && (!(*c.Mu >= 0) || math.IsInf(*c.Mu, 0)) {
		say("mu is %v: it must be finite and ≥ 0", *c.Mu)
	}
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}
