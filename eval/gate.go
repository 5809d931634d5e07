package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Gate is a condition that fails a build, such as
//
//	worst_group.risk > 0.6
//	robust.group[region=south].accuracy < 0.8
//	change.worst_group.risk.high > 0
//
// See [ParseGate].
type Gate struct {
	Text string // as written

	is *expr.Expr // true where it fails
}

// GateResult is a gate applied to an evaluation.
type GateResult struct {
	Gate    Gate   `json:"-"`
	Text    string `json:"gate"`
	Value   Num    `json:"value"` // null when undefined
	Failed  bool   `json:"failed"`
	Message string `json:"message"`
}

// mostQuoted bounds what an error quotes of a gate, in bytes.
const mostQuoted = 200

// ParseGate reads comparisons of measures with numbers, "path > number", in the
// language of [github.com/drotrain/drotrain/data.Frame.Filter]: they may be joined
// by && and ||, negated and put in parentheses. The gate fails when the condition holds,
// and also when that hangs on a number that is undefined: a check that cannot be made is
// not passed. Paths:
//
//	[model.]overall.MEASURE            over all rows
//	[model.]worst_group.risk           the headline; also .n, .low, .high (simultaneous)
//	[model.]cvar[ALPHA]                CVaR at a level on the curve, e.g. cvar[0.1]
//	[model.]difference.MEASURE         between groups of the last grouping; also ratio,
//	                                   group_min, group_max, average, weighted_average
//	[model.]group[LABEL].MEASURE       one group of the last grouping; also .n
//	                                   overall, difference … and group take .low, .high too
//	change.overall.MEASURE[.low|.high] model − baseline, and the ends of its interval
//	change.worst_group.risk[.low|.high], change.cvar[0.1][.low|.high]
//
// MEASURE is a key of [Task.Measures]. Without a model that of [Focus] is meant: the first one
// compared with the baseline, or the only one. So it is by the name robust where no model has
// that name: a gate holds whatever the data chose.
func ParseGate(s string) (Gate, error) {
	g := Gate{Text: strings.TrimSpace(s)}
	var err error
	if g.is, err = expr.Parse(s); err == nil {
		err = g.is.Leaves(func(e *expr.Expr) error {
			if e.Op != expr.Compare || e.Values[0].Kind != expr.Number {
				return expr.Errorf(e.At, "%q is not compared with a number; write e.g. worst_group.risk > 0.6", e.Name)
			}
			if _, err := splitPath(e.Name); err != nil {
				return expr.Errorf(e.At, "%v", err)
			}
			return nil
		})
	}
	if err != nil {
		return Gate{}, fmt.Errorf("eval: gate %q, %w", printable.Shorten(s, mostQuoted), err)
	}
	return g, nil
}

// Check applies the gate. It is an error if a path names nothing in e.
func (g Gate) Check(e *Evaluation) (GateResult, error) {
	r := GateResult{Gate: g, Text: g.Text}
	var told []string
	truth, err := g.is.Eval(func(leaf *expr.Expr) ([]expr.Truth, error) {
		v, err := e.lookup(leaf.Name)
		if err != nil {
			return nil, err
		}
		if told == nil {
			r.Value = Num(v)
		}
		if measure.Bad(v) {
			told = append(told, leaf.Name+" is undefined")
			return []expr.Truth{expr.Unknown}, nil
		}
		bound := leaf.Values[0].Number
		is, by := expr.Holds(v, leaf.Cmp, bound), ""
		if d := math.Abs(v - bound); is && d > 0 {
			by = fmt.Sprintf(", by %.3g", d)
		}
		told = append(told, fmt.Sprintf("%s is %.6g (fails if %s %v)%s", leaf.Name, v, leaf.Cmp, bound, by))
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
		word = "failed, as what is undefined cannot pass: "
	}
	r.Message = word + strings.Join(told, "; ")
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

// bracket splits "group[x]" into "group", "x"; ok is false where a name has an argument that
// takes none, or none that takes one.
func bracket(s string) (name, arg string, ok bool) {
	name, arg, given := strings.Cut(s, "[")
	arg, closed := strings.CutSuffix(arg, "]")
	takes := name == "group" || name == "cvar"
	return name, arg, given == takes && closed == takes
}

func (e *Evaluation) lookup(path string) (float64, error) {
	part, err := splitPath(path)
	if err != nil {
		return 0, err
	}
	if part[0] == "change" {
		return e.lookupChange(path, part[1:])
	}
	k := Focus(len(e.Models))
	if i := slices.Index(e.Names(), part[0]); i >= 0 {
		k, part = i, part[1:]
	} else if part[0] == "robust" { // the model in focus, where an average was chosen in its place
		part = part[1:]
	}
	if len(part) == 0 {
		return 0, fmt.Errorf("%q names a model, not a number", path)
	}
	m := &e.Models[k]
	tail := ""
	if len(part) > 1 {
		tail = part[1]
	}
	head, arg, ok := bracket(part[0])
	unknown := fmt.Errorf("nothing is called %q here; try overall.%s, worst_group.risk, difference.risk or cvar[0.1]", path, e.Task.Measures()[1].Key)
	side := ""
	if len(part) == 3 && (part[2] == "low" || part[2] == "high") {
		side = part[2]
	} else if len(part) > 2 || !ok {
		return 0, unknown
	}
	if side != "" && head != "overall" && head != "group" && !slices.Contains(spreadPaths, head) {
		return 0, unknown
	}
	switch head {
	case "overall":
		if _, ok := e.Task.Measure(tail); ok && side != "" {
			return endOf(m.Intervals, tail, side), nil
		}
		return valueAt(m.Overall, tail, e.Task)
	case "worst_group":
		w := m.WorstGroup
		if w == nil {
			return math.NaN(), nil
		}
		switch tail {
		case "risk":
			return float64(w.Risk), nil
		case "n":
			return float64(w.N), nil
		case "low", "high":
			return end(w.MaxInterval, tail), nil
		}
	case "cvar":
		a, err := strconv.ParseFloat(arg, 64)
		if err != nil || tail != "" {
			return 0, unknown
		}
		return float64(m.CVaRAt(a)), nil
	case "difference", "ratio", "group_min", "group_max", "average", "weighted_average":
		g := e.Headline()
		if g == nil {
			return math.NaN(), nil
		}
		s, ok := g.Summary[k].Spread[tail]
		if !ok {
			return 0, fmt.Errorf("%q is not a measure of a %s task", tail, e.Task)
		}
		if side != "" {
			return endOf(s.Intervals, head, side), nil
		}
		return float64(map[string]Num{"difference": s.Difference.BetweenGroups, "ratio": s.Ratio.BetweenGroups, "group_min": s.GroupMin,
			"group_max": s.GroupMax, "average": s.Average, "weighted_average": s.WeightedAverage}[head]), nil
	case "group":
		if g := e.Headline(); g != nil {
			for i := range g.Groups {
				if g.Groups[i].Label == arg {
					if _, ok := e.Task.Measure(tail); ok && side != "" {
						return endOf(g.Groups[i].Models[k].Intervals, tail, side), nil
					}
					if tail == "n" {
						return float64(g.Groups[i].N), nil
					}
					return valueAt(g.Groups[i].Models[k].Values, tail, e.Task)
				}
			}
		}
		return 0, fmt.Errorf("no group is called %q", arg)
	}
	return 0, unknown
}

func (e *Evaluation) lookupChange(path string, part []string) (float64, error) {
	var c *Comparison
	switch {
	case len(e.Compared) > 0:
		c = &e.Compared[0]
	case e.Verdict.Outcome == StandardKept: // the model is its own baseline
		c = unchanged(e)
	default:
		return 0, fmt.Errorf("%q needs two models", path)
	}
	var d *Difference
	switch {
	case len(part) >= 2 && part[0] == "overall":
		m, ok := c.Measures[part[1]]
		if !ok {
			return 0, fmt.Errorf("%q is not a measure of a %s task", part[1], e.Task)
		}
		d, part = &m, part[2:]
	case len(part) >= 2 && part[0] == "worst_group" && part[1] == "risk":
		d, part = c.WorstGroup, part[2:]
	case len(part) >= 1 && part[0] == "cvar[0.1]":
		d, part = &c.CVaR, part[1:]
	default:
		return 0, fmt.Errorf("nothing is called %q; try change.worst_group.risk.high", path)
	}
	switch {
	case d == nil:
		return math.NaN(), nil
	case len(part) == 0:
		return float64(d.Value), nil
	case len(part) == 1 && (part[0] == "low" || part[0] == "high"):
		return end(d.Interval, part[0]), nil
	}
	return 0, fmt.Errorf("nothing is called %q", path)
}

// unchanged returns the comparison of a model with itself.
func unchanged(e *Evaluation) *Comparison {
	none := Difference{Interval: &Interval{}}
	c := &Comparison{Measures: make(map[string]Difference), CVaR: none, WorstGroup: &none}
	for _, q := range e.Task.Measures() {
		c.Measures[q.Key] = none
	}
	return c
}

// spreadPaths are the paths of what a Spread holds.
var spreadPaths = []string{"difference", "ratio", "group_min", "group_max", "average", "weighted_average"}

// endOf returns one end of an interval, NaN where there is none.
func endOf(of map[string]Interval, key, side string) float64 {
	iv, ok := of[key]
	if !ok {
		return math.NaN()
	}
	return end(&iv, side)
}

func end(iv *Interval, which string) float64 {
	switch {
	case iv == nil:
		return math.NaN()
	case which == "low":
		return float64(iv.Low)
	}
	return float64(iv.High)
}

func valueAt(v Values, key string, t Task) (float64, error) {
	if _, ok := t.Measure(key); !ok {
		return 0, fmt.Errorf("%q is not a measure of a %s task", key, t)
	}
	return float64(v.Of[key]), nil
}
