package eval

import (
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
	Text string // as written

	condition *expr.Expr // true where the gate fails
}

// GateResult is a gate applied to an evaluation.
type GateResult struct {
	Gate    Gate   `json:"-"`
	Text    string `json:"gate"`
	Value   Num    `json:"value"` // of the first number compared; null when undefined
	Failed  bool   `json:"failed"`
	Message string `json:"message"`
}

// mostQuoted bounds what an error quotes of a gate, in bytes.
const mostQuoted = 200

// ParseGate reads comparisons of measures with numbers, "path > number", in the
// language of [github.com/drotrain/drotrain/data.Frame.Filter]: they may be joined
// by && and ||, negated and put in parentheses. The gate fails when the condition holds,
// and also when that depends on an undefined number: a check that cannot be made is
// not passed. Paths:
//
//	[model.]overall.KEY                over all rows; overall. may be left out
//	[model.]worst_group.KEY            the largest of the groups, or the smallest where more is better
//	[model.]group[LABEL].KEY           one group of the last grouping; also .n
//	[model.]difference.KEY             between groups of the last grouping; also ratio,
//	                                   group_min, group_max, average, weighted_average
//	[model.]cvar[ALPHA]                CVaR at a level on the curve, e.g. cvar[0.1]
//	[model.]change.PATH                model − baseline on the same rows, of overall.KEY,
//	                                   worst_group.risk, group[LABEL].risk and cvar[0.1]
//	[model.]since.PATH                 this evaluation − [Evaluation.Reference], of overall.KEY,
//	                                   worst_group.KEY and group[LABEL].KEY
//	unseen[COLUMN]                     proportion of the rows with a level that training did not see; also
//	                                   missing, outside (the range of training) and psi
//	verdict == OUTCOME                 the outcome, as in verdict == hurt
//
// KEY is that of [Task.Measures]. A path with .low or .high behind it is an end of the interval. Without
// a model that of [Focus] is meant: the first one compared with the baseline, or the only one. So it is
// by the name robust where no model has that name: a gate holds whatever the data chose.
func ParseGate(s string) (Gate, error) {
	g := Gate{Text: strings.TrimSpace(s)}
	var err error
	if g.condition, err = expr.Parse(s); err == nil {
		text := []rune(s)
		err = g.condition.Leaves(func(e *expr.Expr) error { return checkLeaf(e, text) })
	}
	if err != nil {
		return Gate{}, fmt.Errorf("eval: gate %q, %w", printable.Shorten(s, mostQuoted), err)
	}
	return g, nil
}

// checkLeaf refuses a comparison that no gate has.
func checkLeaf(e *expr.Expr, text []rune) error {
	if e.Op == expr.Compare && e.Cmp == "==" {
		before := strings.TrimRight(string(text[:e.Values[0].At-1]), " \t\r\n")
		if !strings.HasSuffix(before, "==") {
			return expr.Errorf(e.At, "%q uses =; did you mean == ?", e.Name)
		}
	}
	if e.Name == "verdict" {
		if e.Op != expr.In && (e.Op != expr.Compare || e.Cmp != "==" && e.Cmp != "!=") {
			return expr.Errorf(e.At, "the verdict is compared by == or !=; write e.g. verdict == hurt")
		}
		for _, v := range e.Values {
			var names []string
			for _, o := range Outcomes() {
				names = append(names, string(o))
			}
			if !slices.Contains(names, v.Text) {
				return expr.Errorf(v.At, "%q is not a verdict; the verdicts are %s", v.Text, printable.QuoteList(names, "and"))
			}
		}
		return nil
	}
	if e.Op != expr.Compare || e.Values[0].Kind != expr.Number {
		return expr.Errorf(e.At, "%q is not compared with a number; write e.g. worst_group.risk > 0.6", e.Name)
	}
	if _, err := splitPath(e.Name); err != nil {
		return expr.Errorf(e.At, "%v", err)
	}
	return nil
}

// Check applies the gate. It is an error if a path names nothing in e.
func (g Gate) Check(e *Evaluation) (GateResult, error) {
	r := GateResult{Gate: g, Text: g.Text, Value: undefined()}
	var messages []string
	truth, err := g.condition.Eval(func(leaf *expr.Expr) ([]expr.Truth, error) {
		if leaf.Name == "verdict" {
			is := slices.ContainsFunc(leaf.Values, func(v expr.Value) bool { return v.Text == string(e.Verdict.Outcome) }) == (leaf.Cmp != "!=")
			messages = append(messages, fmt.Sprintf("verdict is %s", e.Verdict.Outcome))
			return []expr.Truth{expr.TruthOf(is)}, nil
		}
		v, err := e.number(leaf.Name)
		if err != nil {
			return nil, err
		}
		if messages == nil {
			r.Value = Num(v)
		}
		if !Num(v).Defined() {
			messages = append(messages, leaf.Name+" is undefined")
			return []expr.Truth{expr.Unknown}, nil
		}
		bound := leaf.Values[0].Number
		is, by := expr.Holds(v, leaf.Cmp, bound), ""
		if d := math.Abs(v - bound); is && d > 0 {
			by = fmt.Sprintf(", by %.3g", d)
		}
		messages = append(messages, fmt.Sprintf("%s is %.6g (fails if %s %v)%s", leaf.Name, v, leaf.Cmp, bound, by))
		return []expr.Truth{expr.TruthOf(is)}, nil
	})
	if err != nil {
		return GateResult{}, fmt.Errorf("eval: gate %q: %w", printable.Shorten(g.Text, mostQuoted), err)
	}
	r.Failed = truth[0] != expr.No
	word := "passed: "
	switch truth[0] {
	case expr.Yes:
		word = "failed: "
	case expr.Unknown:
		word = "failed, since the value is undefined: "
	}
	r.Message = word + strings.Join(messages, "; ")
	return r, nil
}

// splitPath divides a path at dots outside brackets.
func splitPath(s string) ([]string, error) {
	var out []string
	depth, start := 0, 0
	for i, c := range s {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case '.':
			if depth == 0 {
				out = append(out, s[start:i])
				start = i + 1
			}
		}
	}
	out = append(out, s[start:])
	if depth != 0 || slices.Contains(out, "") {
		return nil, fmt.Errorf("%q is not a path like worst_group.risk", s)
	}
	return out, nil
}

// An estimate is a number and the ends of its interval, undefined where there is none.
type estimate [3]Num

// newEstimate returns a number with its interval, which may be nil.
func newEstimate(v Num, iv *Interval) estimate {
	if iv == nil {
		return estimate{v, undefined(), undefined()}
	}
	return estimate{v, iv.Low, iv.High}
}

// since returns the estimate minus that of an independent sample. The interval recovers the variances
// from the two intervals (Zou and Donner 2008): the lower end is the difference minus the root of the sum
// of squares of a − its lower end and of the upper end of b − b.
func (a estimate) since(b estimate) estimate {
	d := a[0] - b[0]
	return estimate{d, d - Num(math.Hypot(float64(a[0]-a[1]), float64(b[2]-b[0]))), d + Num(math.Hypot(float64(a[2]-a[0]), float64(b[0]-b[1])))}
}

// number returns the number that a path names.
func (e *Evaluation) number(path string) (float64, error) {
	part, err := splitPath(path)
	if err != nil {
		return 0, err
	}
	side := 0
	if n := len(part); n > 1 && (part[n-1] == "low" || part[n-1] == "high") {
		if side = 1; part[n-1] == "high" {
			side = 2
		}
		part = part[:n-1]
	}
	of, versus := "", ""
	k := e.Focus()
	for len(part) > 0 && versus == "" {
		i := slices.Index(e.Names(), part[0])
		switch {
		case of == "" && (i >= 0 || part[0] == "robust"): // the model in focus, where an average was chosen in its place
			if of = part[0]; i >= 0 {
				k = i
			}
		case part[0] == "change" || part[0] == "since":
			versus = part[0]
		default:
			versus = "nothing"
			continue
		}
		part = part[1:]
	}
	if len(part) == 0 {
		return 0, fmt.Errorf("%q names a model or a comparison, not a number", path)
	}
	var q estimate
	switch versus {
	case "change":
		q, err = e.changeOf(k, part)
	case "since":
		q, err = e.sinceOf(k, part)
	default:
		q, err = e.estimateOf(k, part)
	}
	if err == errUnknown {
		err = fmt.Errorf("there is no measure %q here; try %s", path, strings.Join(e.alternatives(part[0]), ", "))
	}
	return float64(q[side]), err
}

// errUnknown is of a path that names nothing.
var errUnknown = fmt.Errorf("unknown")

// alternatives returns paths that somebody may have meant.
func (e *Evaluation) alternatives(name string) []string {
	name, _, _ = strings.Cut(name, "[")
	heads := []string{"overall", "worst_group", "group", "difference", "ratio", "group_min", "group_max", "average", "weighted_average", "cvar", "change", "since", "unseen", "missing", "outside", "psi", "verdict"}
	if near := printable.Nearest(name, append(heads, e.keys()...), 3); len(near) > 0 && !slices.Contains(near, name) {
		return near
	}
	return []string{"overall." + e.Task.Measures()[1].Key, "worst_group.risk", "difference.risk", "cvar[0.1]"}
}

// keys returns the keys of the measures.
func (e *Evaluation) keys() (out []string) {
	for _, m := range e.Task.Measures() {
		out = append(out, m.Key)
	}
	return out
}

// key returns the key that a name means: logloss is log_loss.
func (e *Evaluation) key(name string) (string, error) {
	fold := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for _, k := range e.keys() {
		if fold(k) == fold(name) {
			return k, nil
		}
	}
	hint := ""
	if near := printable.Nearest(name, e.keys(), 2); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return "", fmt.Errorf("%q is not a measure of a %s task%s", name, e.Task, hint)
}

// estimateOf returns the number of model k that a path without model names.
func (e *Evaluation) estimateOf(k int, part []string) (q estimate, err error) {
	head, arg, _ := strings.Cut(part[0], "[")
	arg, closed := strings.CutSuffix(arg, "]")
	m := &e.Models[k]
	none := newEstimate(undefined(), nil)
	takes := slices.Contains([]string{"group", "cvar", "unseen", "missing", "outside", "psi"}, head)
	alone := takes && head != "group"
	switch {
	case takes != closed || len(part) > 2 || alone && len(part) > 1:
		return q, errUnknown
	case head == "cvar":
		alpha, err := strconv.ParseFloat(arg, 64)
		if err != nil {
			return q, errUnknown
		}
		return newEstimate(m.CVaRAt(alpha), nil), nil
	case alone:
		return e.driftOf(head, arg)
	case len(part) == 1:
		if _, err = e.key(head); err != nil {
			return q, errUnknown
		}
		head, part = "overall", []string{"overall", part[0]}
	}
	g := e.Headline()
	if part[1] == "n" && m.WorstGroup != nil && head == "worst_group" {
		return newEstimate(Num(m.WorstGroup.N), nil), nil
	}
	if head == "group" {
		h, err := e.groupNamed(arg)
		if err != nil || part[1] == "n" {
			if h != nil {
				q = newEstimate(Num(h.N), nil)
			}
			return q, err
		}
		key, err := e.key(part[1])
		return newEstimate(h.Models[k].Values.Of[key], intervalOf(h.Models[k].Intervals, key)), err
	}
	key, err := e.key(part[1])
	if err != nil {
		return q, err
	}
	if head == "overall" {
		return newEstimate(m.Overall.Of[key], intervalOf(m.Intervals, key)), nil
	}
	if g == nil {
		return none, nil
	}
	s := g.Summary[k].Spread[key]
	extreme := estimate(none)
	switch head {
	case "worst_group":
		switch w := m.WorstGroup; {
		case key == "risk" && w == nil:
			return none, nil
		case key == "risk":
			return newEstimate(w.Risk, w.MaxInterval), nil
		case slices.Contains(moreIsBetter, key):
			return newEstimate(s.GroupMin, intervalOf(s.Intervals, "group_min")), nil
		case slices.Contains(lessIsBetter, key):
			return newEstimate(s.GroupMax, intervalOf(s.Intervals, "group_max")), nil
		}
		return q, fmt.Errorf("no group is the worst by %s; try group_min.%s, group_max.%s or difference.%s", key, key, key, key)
	case "difference":
		extreme[0] = s.Difference.BetweenGroups
	case "ratio":
		extreme[0] = s.Ratio.BetweenGroups
	case "group_min":
		extreme[0] = s.GroupMin
	case "group_max":
		extreme[0] = s.GroupMax
	case "average":
		extreme[0] = s.Average
	case "weighted_average":
		extreme[0] = s.WeightedAverage
	default:
		return q, errUnknown
	}
	return newEstimate(extreme[0], intervalOf(s.Intervals, head)), nil
}

// Keys of the measures that have a better direction.
var (
	lessIsBetter = []string{"risk", "log_loss", "brier", "ece", "fpr", "rmse", "mae", "median_ae"}
	moreIsBetter = []string{"accuracy", "balanced_accuracy", "auc", "auprc", "tpr", "ppv", "r2", "top5", "macro_f1", "worst_recall"}
)

// intervalOf returns the interval of a key, nil where there is none.
func intervalOf(of map[string]Interval, key string) *Interval {
	if iv, ok := of[key]; ok {
		return &iv
	}
	return nil
}

// groupNamed returns the group of the headline of that label.
func (e *Evaluation) groupNamed(label string) (*Group, error) {
	var labels []string
	if g := e.Headline(); g != nil {
		for i := range g.Groups {
			if g.Groups[i].Label == label {
				return &g.Groups[i], nil
			}
			labels = append(labels, g.Groups[i].Label)
		}
	}
	return nil, fmt.Errorf("no group is called %q%s", label, didYouMean(label, labels))
}

// didYouMean suggests the nearest of some names, "" where none is near.
func didYouMean(name string, among []string) string {
	near := printable.Nearest(name, among, 3)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + printable.QuoteList(near, "or") + "?"
}

// changeOf returns the difference of model k from the baseline.
func (e *Evaluation) changeOf(k int, part []string) (q estimate, err error) {
	path := strings.Join(part, ".")
	var c *Comparison
	switch {
	case k > 0:
		c = &e.Compared[k-1]
	case e.Verdict.Outcome == StandardKept: // the model is its own baseline
		if q, err = e.estimateOf(0, part); err == nil {
			q = estimate{}
		}
		return q, err
	default:
		return q, fmt.Errorf("%q needs two models", "change."+path)
	}
	head, arg, _ := strings.Cut(part[0], "[")
	var d *Difference
	switch {
	case path == "worst_group.risk":
		d = c.WorstGroup
	case path == "cvar[0.1]":
		d = &c.CVaR
	case head == "group" && len(part) == 2 && part[1] == "risk":
		h, err := e.groupNamed(strings.TrimSuffix(arg, "]"))
		if err != nil {
			return q, err
		}
		for _, g := range c.Groups {
			if g.Label == h.Label {
				d = &Difference{g.Value, g.Simultaneous}
			}
		}
	case head == "overall" && len(part) == 2 || len(part) == 1:
		key, err := e.key(part[len(part)-1])
		if err != nil {
			return q, err
		}
		m := c.Measures[key]
		d = &m
	default:
		return q, errUnknown
	}
	if d == nil {
		return newEstimate(undefined(), nil), nil
	}
	return newEstimate(d.Value, d.Interval), nil
}

// sinceOf returns the difference of a number of model k from that of the reference.
func (e *Evaluation) sinceOf(k int, part []string) (q estimate, err error) {
	if e.Reference == nil {
		return q, fmt.Errorf("since.%s needs the earlier numbers: name them with --against", strings.Join(part, "."))
	}
	if err := e.Reference.comparable(e); err != nil {
		return q, err
	}
	now, err := e.estimateOf(k, part)
	if err != nil {
		return q, err
	}
	if _, err := e.key(part[0]); err == nil {
		part = []string{"overall", part[0]}
	}
	head, _, _ := strings.Cut(part[0], "[")
	if !slices.Contains([]string{"overall", "worst_group", "group"}, head) || part[1] == "n" {
		return q, fmt.Errorf("an earlier evaluation does not store %s; since takes overall.KEY, worst_group.KEY and group[LABEL].KEY", strings.Join(part, "."))
	}
	key, _ := e.key(part[1])
	was, ok := e.Reference.estimate(e.Models[k].Name, part[0]+"."+key)
	if !ok {
		was = newEstimate(undefined(), nil)
	}
	return now.since(was), nil
}

// driftOf returns the proportion of rows in which a column differs from training.
func (e *Evaluation) driftOf(what, column string) (q estimate, err error) {
	if len(e.Drift) == 0 {
		return q, fmt.Errorf("%s[%s] needs a model with a profile of its training rows, and a table to measure it on", what, column)
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
