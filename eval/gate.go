package eval

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Gate is a condition that fails a build, such as
//
//	worst_group.risk > 0.6
//	robust.group[region=south].accuracy < 0.8
//	since.worst_group.risk.low > 0.05
//
// See [ParseGate].
type Gate struct {
	Text string // text as the user wrote it

	condition *expr.Expr // true if the gate fails
}

// A GateResult is the outcome of a gate.
type GateResult struct {
	Gate Gate   `json:"-"`
	Text string `json:"gate"`
	// Value is the number that decided the outcome: the first compared number that fails the gate or, if none
	// does, the first compared number. It is null if undefined.
	Value   Num    `json:"value"`
	Failed  bool   `json:"failed"`
	Message string `json:"message"`
	Group   string `json:"group,omitempty"` // for any_group, the group that decided the outcome
	Low     *Num   `json:"low,omitempty"`   // limits of the interval of the deciding number, if it has one
	High    *Num   `json:"high,omitempty"`

	// the number to which the interval belongs; Value may be a limit of the interval
	Estimate *Num `json:"estimate,omitempty"`
	// −1 or 1 if Value is the lower or upper limit of the interval; 0 if it is the estimate
	End int `json:"end,omitempty"`

	// Operator and Limit are those of the deciding comparison: the gate fails if Value Operator Limit holds.
	Operator string `json:"operator,omitempty"`
	Limit    *Num   `json:"limit,omitempty"`
}

// FailedGate returns the result of a condition that could not be checked, for the given reason.
func FailedGate(condition, why string) GateResult {
	return GateResult{Text: condition, Value: undefined(), Failed: true,
		Message: "failed, since the condition cannot be checked: " + why}
}

// maxQuoted is the maximum number of bytes of a gate that errors quote.
const maxQuoted = 200

// ParseGate parses comparisons of measures with numbers, "path > number", in the language of
// [github.com/drotrain/drotrain/data.Frame.Filter]: comparisons may be combined by && and ||, negated, and put in
// parentheses. The gate fails if the condition holds, and also if its truth depends on an undefined number, since a
// check that cannot be made is not passed. Paths have the following forms:
//
//	[model.]overall.KEY                over all rows; overall. may be left out
//	[model.]worst_group.KEY            the largest of the groups, or the smallest where more is better
//	[model.]group[LABEL].KEY           one group, of a column alone or crossed; also .n, which is 0 without rows.
//	                                   COLUMN=LABEL distinguishes equal labels of two columns
//	[model.]any_group.KEY              every group with enough rows, alone and crossed: the condition holds if it
//	                                   holds for one of them
//	[model.]difference.KEY             between groups of the last grouping; also ratio,
//	                                   group_min, group_max, average, weighted_average
//	[model.]cvar[ALPHA]                CVaR at a level on the curve, e.g. cvar[0.1]
//	[model.]change.PATH                model − baseline on the same rows, of overall.KEY,
//	                                   worst_group.risk, group[LABEL].risk and cvar[0.1]
//	[model.]since.PATH                 this evaluation − [Evaluation.Reference], of overall.KEY, worst_group.KEY,
//	                                   group[LABEL].KEY and any_group.KEY, whose intervals hold for all groups
//	                                   together
//	[model.]four_fifths                lowest favourable rate of a group divided by the highest one
//	unseen[COLUMN]                     proportion of the rows with a level that training did not see; also
//	                                   missing, outside (the range of training) and psi
//	verdict == OUTCOME                 the outcome, as in verdict == hurt
//
// KEY is the key of one of [Task.Measures]. A path followed by .low or .high denotes a limit of the interval. A
// path without a model refers to the model of [Evaluation.Focus]: the first one compared with the baseline, or the only one.
// The name robust also refers to it if no model has that name, so that a gate applies whichever model is chosen
// from the data.
//
// [Gate.Check] returns an error for a number outside the range of the measure, as in accuracy < 80, and for a
// condition that can never hold, such as accuracy < 0. A group without rows fails the gate.
func ParseGate(s string) (Gate, error) {
	g := Gate{Text: strings.TrimSpace(s)}
	var err error
	if g.condition, err = expr.Parse(s); err == nil {
		text := []rune(s)
		err = g.condition.EachLeaf(func(e *expr.Expr) error { return checkLeaf(e, text) })
	}
	if err != nil {
		return Gate{}, fmt.Errorf("eval: gate %q, %w", printable.ShortenMiddle(s, maxQuoted), err)
	}
	return g, nil
}

// checkLeaf returns an error for a comparison that gates do not support.
func checkLeaf(e *expr.Expr, text []rune) error {
	if e.Op == expr.Compare && e.Cmp == "==" {
		before := strings.TrimRight(string(text[:e.Values[0].At-1]), " \t\r\n")
		if !strings.HasSuffix(before, "==") {
			return expr.Errorf(e.At, "%q uses =; did you mean == ?", e.Name)
		}
	}
	if e.Name == "verdict" {
		var names []string
		for _, o := range Outcomes() {
			names = append(names, string(o))
		}
		if e.Op != expr.In && (e.Op != expr.Compare || e.Cmp != "==" && e.Cmp != "!=") {
			return expr.Errorf(e.At, "compare verdict by ==, != or in with one of %s", printable.QuoteList(names, "and"))
		}
		for _, v := range e.Values {
			if !slices.Contains(names, v.Text) {
				return expr.Errorf(v.At, "%q is not a verdict; the verdicts are %s", v.Text, printable.QuoteList(names, "and"))
			}
		}
		return nil
	}
	if e.Op != expr.Compare || e.Values[0].Kind != expr.Number {
		return &expr.Error{At: e.At, Msg: fmt.Sprintf("%q lacks a comparison with a number", e.Name),
			Example: "worst_group.risk > 0.6"}
	}
	if !isPath(e.Name) {
		return expr.Errorf(e.At, "%q is not the path of a measure, such as worst_group.risk", e.Name)
	}
	return nil
}

// Check applies the gate to an evaluation. It returns an error if a path does not exist in e.
func (g Gate) Check(e *Evaluation) (GateResult, error) {
	r := GateResult{Gate: g, Text: g.Text, Value: undefined()}
	if g.condition == nil || e == nil || len(e.Models) == 0 {
		return r, errors.New("make the gate with ParseGate, and check an evaluation of at least one model")
	}
	var messages []string
	holds := false // whether the number in r satisfies the gate
	unknown := "failed, since the value is undefined: "
	truth, err := g.condition.Eval(func(leaf *expr.Expr) ([]expr.Truth, error) {
		if leaf.Name == "verdict" {
			isNamed := slices.ContainsFunc(leaf.Values,
				func(v expr.Value) bool { return v.Text == string(e.Verdict.Outcome) })
			is := isNamed == (leaf.Cmp != "!=")
			messages = append(messages, fmt.Sprintf("verdict is %s", e.Verdict.Outcome))
			return []expr.Truth{expr.TruthOf(is)}, nil
		}
		p, err := e.parsePath(leaf.Name)
		if err != nil {
			return nil, err
		}
		bound := leaf.Values[0].Number
		c, err := e.candidatesOf(p, leaf.Cmp)
		var absent *absentError
		if err != nil && !errors.As(err, &absent) {
			return nil, err
		}
		if err := e.checkBound(p, leaf.Cmp, bound); err != nil {
			return nil, err
		}
		if absent != nil {
			unknown = "failed, since the group is absent: "
			messages = append(messages, absent.Error())
			return []expr.Truth{expr.Unknown}, nil
		}
		v := float64(c.decisive.estimate[p.end])
		is := expr.Holds(v, leaf.Cmp, bound)
		if messages == nil || is && !holds {
			holds = is
			r.Value, r.Group, r.Estimate, r.Low, r.High = Num(v), c.decisive.group, nil, nil, nil
			limit := Num(bound)
			r.Operator, r.Limit, r.End = leaf.Cmp, &limit, []int{0, -1, 1}[p.end]
			if q := c.decisive.estimate; q[1].Defined() && q[2].Defined() {
				r.Estimate, r.Low, r.High = &q[0], &q[1], &q[2]
			}
		}
		where := ""
		if c.decisive.group != "" {
			where = fmt.Sprintf(" in %s, the most extreme of %s", printable.Group(c.decisive.group),
				printable.Plural(c.count, "group", "groups"))
		}
		if !Num(v).Defined() {
			messages = append(messages, leaf.Name+e.nameMeasured(p)+" is undefined"+c.note)
			return []expr.Truth{expr.Unknown}, nil
		}
		by := ""
		if d := math.Abs(v - bound); is && d > 0 {
			by = fmt.Sprintf(", by %.3g", d)
		}
		messages = append(messages, fmt.Sprintf("%s%s is %s%s (fails if %s %v)%s%s", leaf.Name, e.nameMeasured(p),
			strings.Replace(sixDigits(v, bound), "-", "−", 1), where, leaf.Cmp, bound, by, c.note))
		if !is && c.incomplete {
			unknown = "failed, because groups of the earlier evaluation are missing: "
			return []expr.Truth{expr.Unknown}, nil
		}
		return []expr.Truth{expr.TruthOf(is)}, nil
	})
	if err != nil {
		return GateResult{}, fmt.Errorf("eval: gate %q: %w", printable.ShortenMiddle(g.Text, maxQuoted), err)
	}
	r.Failed = truth[0] != expr.No
	word := "passed: "
	switch truth[0] {
	case expr.Yes:
		word = "failed: "
	case expr.Unknown:
		word = unknown
	}
	r.Message = word + strings.Join(messages, "; ")
	return r, nil
}

// sixDigits formats a number with six digits, or with as many more as are needed for it to differ visibly from a
// limit that it is not equal to.
func sixDigits(x, limit float64) string {
	text := fmt.Sprintf("%.6g", x)
	for digits := 6; x != limit && digits < 17 && text == fmt.Sprintf("%.*g", digits, limit); digits++ {
		text = fmt.Sprintf("%.*g", digits+1, x)
	}
	return text
}

// An estimate is a number with the limits of its interval, which are undefined if there is none.
type estimate [3]Num

// newEstimate returns a number with its interval, which may be nil.
func newEstimate(v Num, iv *Interval) estimate {
	if iv == nil {
		return estimate{v, undefined(), undefined()}
	}
	return estimate{v, iv.Low, iv.High}
}

// changeSince returns a minus the estimate b from an independent sample. The interval recovers the variances from
// the two intervals (Zou and Donner 2008): the lower limit is the difference minus the square root of the sum of
// two squares, those of a minus its lower limit and of the upper limit of b minus b.
func (a estimate) changeSince(b estimate) estimate {
	d := a[0] - b[0]
	return estimate{d, d - Num(math.Hypot(float64(a[0]-a[1]), float64(b[2]-b[0]))),
		d + Num(math.Hypot(float64(a[2]-a[0]), float64(b[0]-b[1])))}
}

// A gatePath is a parsed path: model, comparison, head[argument].key and the limit of the interval (low or high).
type gatePath struct {
	given      string // as the user wrote it
	text       string // the path without model and comparison
	model      int
	comparison string // "", "change" or "since"
	head, arg  string
	key        string // key of a measure, "n", or empty
	end        int    // index of the end in an estimate
}

// nameMeasured names, after " of ", the model of which a path without a model is a measure. It returns "" if there is a
// single model, or if the path names the model, compares models or is about columns.
func (e *Evaluation) nameMeasured(p gatePath) string {
	isOfColumns := slices.Contains([]string{"unseen", "missing", "outside", "psi"}, p.head)
	if len(e.Models) == 1 || p.given != p.text || p.comparison != "" || isOfColumns {
		return ""
	}
	return " of " + e.ModelName(p.model)
}

// unknownPath returns an error about a path that denotes nothing in e.
func (e *Evaluation) unknownPath(p gatePath) error {
	return fmt.Errorf("this evaluation has no measure %q; try %s", p.given, strings.Join(e.suggestPaths(p.text), ", "))
}

// gateHeads states, for every head of a path, whether it has an argument in brackets and whether the key of a
// measure follows.
var gateHeads = map[string]struct{ argument, key bool }{
	"overall": {false, true}, "worst_group": {false, true}, "group": {true, true}, "any_group": {false, true},
	"difference": {false, true}, "ratio": {false, true},
	"group_min": {false, true}, "group_max": {false, true}, "average": {false, true}, "weighted_average": {false, true},
	"cvar": {true, false}, "four_fifths": {false, false}, "unseen": {true, false}, "missing": {true, false},
	"outside": {true, false}, "psi": {true, false},
}

// parsePath parses a path (isPath).
func (e *Evaluation) parsePath(text string) (p gatePath, err error) {
	p.given, p.text = text, text
	p.model = slices.IndexFunc(e.Names(), func(name string) (ok bool) {
		p.text, ok = strings.CutPrefix(text, name+".")
		return ok
	})
	if p.model < 0 {
		p.model = e.Focus()
		// robust stands for the model in focus if an average was chosen instead
		p.text = strings.TrimPrefix(text, "robust.")
	}
	parts, ok := dividePath(p.text)
	if !ok {
		parts = dividedPath{} // the path is unknown
	}
	p.comparison, p.head, p.key, p.end = parts.comparison, parts.head, parts.key, slices.Index([]string{"", "low", "high"},
		parts.end)
	p.text = strings.TrimPrefix(p.text, p.comparison+".")
	if key, ok := e.findMeasure(p.head); ok && !parts.hasArgument && p.key == "" {
		p.head, p.key = "overall", key
		return p, nil
	}
	takes, known := gateHeads[p.head]
	if !known || takes.argument != parts.hasArgument || takes.key != (p.key != "") {
		return p, e.unknownPath(p)
	}
	if takes.argument {
		p.arg = parts.argument
	}
	if takes.key && !(p.key == "n" && (p.head == "group" || p.head == "worst_group")) {
		p.key, err = e.measureKey(p.key)
	}
	return p, err
}

// estimateCompared returns the estimate at a path, including its comparison.
func (e *Evaluation) estimateCompared(p gatePath) (estimate, error) {
	switch p.comparison {
	case "change":
		return e.changeOf(p)
	case "since":
		return e.sinceOf(p)
	}
	return e.estimateOf(p)
}

// suggestPaths returns paths similar to a misspelt name.
func (e *Evaluation) suggestPaths(name string) []string {
	name, _, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, "[")
	heads := []string{"overall", "worst_group", "group", "any_group", "difference", "ratio", "group_min", "group_max",
		"average", "weighted_average", "cvar", "four_fifths", "change", "since", "unseen", "missing", "outside", "psi",
		"verdict"}
	if near := printable.Nearest(name, append(heads, e.measureKeys()...), 3); len(near) > 0 &&
		!slices.Contains(near, name) {
		return near
	}
	return []string{"overall." + e.Task.Measures()[1].Key, "worst_group.risk", "difference.risk", "cvar[0.1]"}
}

// measureKeys returns the keys of the measures.
func (e *Evaluation) measureKeys() (out []string) {
	for _, m := range e.Task.Measures() {
		out = append(out, m.Key)
	}
	return out
}

// findMeasure returns the key of the measure with the given name; logloss is another name of log_loss.
func (e *Evaluation) findMeasure(name string) (key string, ok bool) {
	folded := printable.Fold(name)
	for _, m := range e.Task.Measures() {
		if printable.Fold(m.Key) == folded {
			return m.Key, true
		}
	}
	return "", false
}

// measureKey returns the key of the measure with the given name, or an error that suggests similar names.
func (e *Evaluation) measureKey(name string) (string, error) {
	if key, ok := e.findMeasure(name); ok {
		return key, nil
	}
	return "", fmt.Errorf("%q is not a measure for a %s task%s", name, e.Task, didYouMean(name, e.measureKeys()))
}

// estimateOf returns the estimate at a path whose comparison is ignored.
func (e *Evaluation) estimateOf(p gatePath) (q estimate, err error) {
	m, g := &e.Models[p.model], e.Headline()
	switch p.head {
	case "overall":
		return newEstimate(m.Overall.Of[p.key], m.Intervals.Find(p.key)), nil
	case "cvar":
		alpha, err := strconv.ParseFloat(p.arg, 64)
		if err != nil {
			return q, e.unknownPath(p)
		}
		return newEstimate(m.CVaRAt(alpha), nil), nil
	case "four_fifths":
		for _, c := range e.Criteria {
			if c.Key == p.head && c.Model == m.Name {
				return newEstimate(c.Value, c.Interval), nil
			}
		}
		if e.Favourable == nil {
			return q, fmt.Errorf("four_fifths needs the favourable outcome: pass it with --favourable")
		}
		return newEstimate(undefined(), nil), nil
	case "unseen", "missing", "outside", "psi":
		return e.driftOf(p.head, p.arg)
	case "group":
		h, err := e.groupNamed(p.arg)
		if p.key == "n" {
			if err != nil {
				return newEstimate(0, nil), nil
			}
			return newEstimate(Num(h.N), nil), nil
		}
		if err != nil {
			return q, err
		}
		of := &h.Models[p.model]
		return newEstimate(of.Values.Of[p.key], of.Intervals.Find(p.key)), nil
	}
	if g == nil {
		return newEstimate(undefined(), nil), nil
	}
	s := g.Summary[p.model].Spread[p.key]
	name := p.head
	if p.head == "worst_group" {
		switch w := m.WorstGroup; {
		case w == nil && (p.key == riskMeasure.Key || p.key == "n"):
			return newEstimate(undefined(), nil), nil
		case p.key == "n":
			return newEstimate(Num(w.N), nil), nil
		case p.key == riskMeasure.Key:
			return newEstimate(w.Risk, w.MaxInterval), nil
		case e.betterDirection(p.key) == More:
			name = "group_min"
		case e.betterDirection(p.key) == Less:
			name = "group_max"
		default:
			return q, fmt.Errorf("there is no worst group by %s; use group_min.%[1]s, group_max.%[1]s or difference.%[1]s",
				p.key)
		}
	}
	value := map[string]Num{"difference": s.Difference.BetweenGroups, "ratio": s.Ratio.BetweenGroups,
		"group_min": s.GroupMin,
		"group_max": s.GroupMax, "average": s.Average, "weighted_average": s.WeightedAverage}[name]
	return newEstimate(value, s.Intervals.Find(name)), nil
}

// didYouMean returns a text that suggests similar names, or "".
func didYouMean(name string, among []string) string {
	near := printable.Nearest(name, among, 3)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + printable.QuoteList(near, "or") + "?"
}

// changeOf returns the difference from the baseline at a path.
func (e *Evaluation) changeOf(p gatePath) (q estimate, err error) {
	if p.model == 0 {
		if e.Verdict.Outcome != StandardKept {
			return q, fmt.Errorf("%q needs two models", "change."+p.text)
		}
		_, err = e.estimateOf(p) // the model itself is the baseline
		return q, err
	}
	c := &e.Compared[p.model-1]
	var d *Difference
	switch {
	case p.head == "worst_group" && p.key == riskMeasure.Key:
		d = c.WorstGroup
	case p.head == "cvar" && p.arg == "0.1":
		d = &c.CVaR
	case p.head == "group" && p.key == riskMeasure.Key:
		h, err := e.groupNamed(p.arg)
		if err != nil {
			return q, err
		}
		d = c.GroupChange(h.Label)
	case p.head == "overall":
		m := c.Measures[p.key]
		d = &m
	default:
		return q, e.unknownPath(p)
	}
	if d == nil {
		return newEstimate(undefined(), nil), nil
	}
	return newEstimate(d.Value, d.Interval), nil
}

// sinceOf returns the difference from the reference at a path.
func (e *Evaluation) sinceOf(p gatePath) (q estimate, err error) {
	if e.Reference == nil {
		return q, fmt.Errorf("since.%s needs an earlier evaluation: pass its file with --against", p.text)
	}
	if err := e.Reference.checkComparable(e); err != nil {
		return q, err
	}
	if !slices.Contains([]string{"overall", "worst_group", "group"}, p.head) || p.key == "n" {
		return q, fmt.Errorf(
			"an earlier evaluation does not store %s; the prefix since. accepts overall.KEY, worst_group.KEY, "+
				"group[LABEL].KEY and any_group.KEY", p.text)
	}
	if g := e.Headline(); p.head == "worst_group" && g != nil && len(e.Reference.groupings) > 0 {
		if was := e.Reference.groupings[len(e.Reference.groupings)-1].Name; was != g.Name {
			return q, fmt.Errorf("since.%s would compare groups of %s with earlier groups of %s; give the same --groups as "+
				"in the earlier evaluation", p.text,
				g.Name, was)
		}
	}
	path := p.head + "." + p.key
	if p.head == "group" {
		path = "group[" + e.nameInReference(p.arg) + "]." + p.key
	}
	now, err := e.estimateOf(p)
	if err != nil {
		return q, err
	}
	was, ok := e.Reference.estimateAt(e.Models[p.model].Name, path)
	if !ok {
		was = newEstimate(undefined(), nil)
	}
	return now.changeSince(was), nil
}

// driftOf returns a measure of the drift of a column.
func (e *Evaluation) driftOf(what, column string) (q estimate, err error) {
	if len(e.Drift) == 0 {
		return q, fmt.Errorf("%s[%s] needs a model that stores a profile of its training rows, and a table to compare "+
			"with the profile", what,
			column)
	}
	var names []string
	for _, d := range e.Drift {
		if d.Column == column {
			of := map[string]float64{"unseen": d.Unseen, "missing": d.Missing, "outside": d.Outside, "psi": d.PSI}
			return newEstimate(Num(of[what]), nil), nil
		}
		names = append(names, d.Column)
	}
	return q, fmt.Errorf("the model has no feature %q%s", column, didYouMean(column, names))
}
