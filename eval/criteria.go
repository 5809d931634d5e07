package eval

import (
	"fmt"
	"math"
	"strings"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/printable"
)

// A Favourable is the value of a two-valued target that is favourable to the person concerned, such as approved,
// hired or paid. The rates in fairness criteria refer to it.
type Favourable struct {
	Value      string `json:"value"`
	IsPositive bool   `json:"is_positive"`       // the value is the positive class of the model
	Guessed    bool   `json:"guessed,omitempty"` // inferred from the names of target and value
}

// Words that, in the name of a target or a value, indicate an unfavourable or favourable outcome.
var (
	unfavourableWords = []string{"deny", "denied", "denial", "default", "reject", "refus", "declin", "late", "delinq",
		"bad", "fraud", "churn", "recid", "fail", "charged", "arrest", "dismiss", "fired"}
	favourableWords = []string{"approv", "hire", "accept", "admit", "grant", "good", "paid", "pass", "success", "promot",
		"offer"}
)

// GuessFavourable infers the favourable value of a two-valued target from the names of the target and its values,
// or returns nil.
func GuessFavourable(target, positive, negative string) *Favourable {
	holds := func(text string, words []string) bool {
		for _, w := range words {
			for part := range strings.FieldsFuncSeq(strings.ToLower(text),
				func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' }) {
				if strings.HasPrefix(part, w) {
					return true
				}
			}
		}
		return false
	}
	of := func(isPositive bool) *Favourable {
		f := &Favourable{Value: negative, IsPositive: isPositive, Guessed: true}
		if isPositive {
			f.Value = positive
		}
		return f
	}
	for _, c := range []struct {
		text     string
		positive bool // whether the word describes the positive value
	}{{positive, true}, {negative, false}} {
		if holds(c.text, unfavourableWords) {
			return of(!c.positive)
		}
		if holds(c.text, favourableWords) {
			return of(c.positive)
		}
	}
	switch strings.ToLower(positive) {
	case "yes", "y", "true", "t", "1":
		if holds(target, unfavourableWords) {
			return of(false)
		}
		if holds(target, favourableWords) {
			return of(true)
		}
	}
	return nil
}

// FourFifths is the minimum ratio of favourable rates that the four-fifths rule accepts (29 CFR 1607.4 D).
const FourFifths = 0.8

// FourFifthsKey is the key of the four-fifths rule among the criteria, and the head of its path in gates.
const FourFifthsKey = "four_fifths"

// A Criterion is a limit on the differences between groups, with its outcome. The outcome is fail if the whole
// interval lies beyond the limit, and pass if it lies within the limit.
type Criterion struct {
	Key      string    `json:"key"` // FourFifthsKey, or the key of a measure that has a criterion
	Model    string    `json:"model"`
	Question string    `json:"question"`
	Value    Num       `json:"value"`
	Interval *Interval `json:"interval,omitempty"`
	Limit    float64   `json:"limit"`
	Low      string    `json:"lowest_in,omitempty"`
	High     string    `json:"highest_in,omitempty"`
	Outcome  string    `json:"outcome"` // "pass", "undecided", "fail" or "untested"
	Reason   string    `json:"untested_because,omitempty"`
}

// fairnessCriteria returns the criteria of all models. The four-fifths rule is only among them if the favourable
// outcome is known.
func (e *Evaluation) fairnessCriteria() (out []Criterion) {
	g := e.Headline()
	if g == nil || e.Task != Binary {
		return nil
	}
	words := map[string]string{"above": "fail", "within": "pass", "undecided": "undecided", "untested": "untested"}
	for k, m := range e.Models {
		if c, ok := e.fourFifths(k); ok {
			out = append(out, c)
		}
		for _, q := range e.Gaps {
			if q.Model == m.Name {
				rate, _ := e.Task.Measure(q.Measure)
				c := Criterion{Key: q.Measure, Model: q.Model, Question: rate.Criterion, Value: q.Value,
					Interval: q.Interval, Limit: q.Tolerance, Low: q.Low, High: q.High, Outcome: words[q.Outcome]}
				if q.Interval == nil {
					c.Reason = e.reasonWithoutInterval(k, rate)
				}
				out = append(out, c)
			}
		}
	}
	return out
}

// reasonWithoutInterval states why the difference between groups in a rate of model k has no interval.
func (e *Evaluation) reasonWithoutInterval(k int, rate Measure) string {
	if e.Resamples == 0 {
		return "there are no intervals"
	}
	g := e.Headline()
	for i := range g.Groups {
		h := &g.Groups[i]
		v := &h.Models[k].Values
		if _, ok := v.Get(rate.Key); !ok || !h.Sufficient {
			continue
		}
		if n := rate.rowsOf(v, float64(h.N)); n < fewestOfRate {
			return fmt.Sprintf("the %s of %s is a rate of %s", strings.ToLower(rate.Label), printable.Group(h.Label),
				printable.Plural(int(n), "row", "rows"))
		}
	}
	return "the rate of some group has no interval"
}

// fourFifths compares the favourable rates of the groups with enough rows: the lowest divided by the highest or, if
// there is a reference group, by the rate of that group. ok is false if fewer than two groups have such a rate.
func (e *Evaluation) fourFifths(k int) (c Criterion, ok bool) {
	f, g := e.Favourable, e.Headline()
	if f == nil || g == nil {
		return c, false
	}
	var rates []estimate
	var labels []string
	reference := -1
	for i := range g.Groups {
		h := &g.Groups[i]
		m := &h.Models[k]
		v, defined := m.Values.Get(SelectionRate)
		if !h.Sufficient || !defined {
			continue
		}
		q := newEstimate(Num(v), m.Intervals.Find(SelectionRate))
		if !f.IsPositive {
			q = estimate{1 - q[0], 1 - q[2], 1 - q[1]}
		}
		if h.Label == e.ReferenceGroup {
			reference = len(rates)
		}
		rates, labels = append(rates, q), append(labels, h.Label)
	}
	c = Criterion{Key: FourFifthsKey, Model: e.Models[k].Name, Limit: FourFifths, Value: undefined(), Outcome: "untested",
		Question: "Four-fifths rule: lowest rate of predicted “" + f.Value + "” divided by the highest"}
	if e.ReferenceGroup != "" {
		c.Question = "Four-fifths rule: lowest rate of predicted “" + f.Value + "” divided by the rate in " +
			printable.Group(e.ReferenceGroup)
		if reference < 0 {
			c.Reason = fmt.Sprintf("%s has fewer than %d rows here", printable.Group(e.ReferenceGroup), e.MinGroupSize)
			return c, true
		}
	}
	if len(rates) < 2 {
		return Criterion{}, false
	}
	factor := interval.Widening(e.Confidence, float64(len(rates)), math.Inf(1))
	lowest, highest := 0, 0
	for i := range rates {
		q := &rates[i]
		*q = q.widen(factor)
		q[1], q[2] = max(0, q[1]), min(1, q[2])
		if reference >= 0 && lowest == reference || q[0] < rates[lowest][0] && i != reference {
			lowest = i
		}
		if q[0] > rates[highest][0] {
			highest = i
		}
	}
	top := rates[highest]
	if reference >= 0 {
		highest, top = reference, rates[reference]
	} else {
		for _, q := range rates {
			top[1], top[2] = max(top[1], q[1]), max(top[2], q[2])
		}
	}
	least := rates[lowest]
	for i, q := range rates {
		if i != reference {
			least[1], least[2] = min(least[1], q[1]), min(least[2], q[2])
		}
	}
	c.Low, c.High = labels[lowest], labels[highest]
	if !(top[0] > 0) {
		where := "these groups"
		if reference >= 0 {
			where = printable.Group(e.ReferenceGroup)
		}
		c.Reason = fmt.Sprintf("no row of %s is predicted “%s”", where, f.Value)
		return c, true
	}
	c.Value = least[0] / top[0]
	c.Reason = "there are no intervals"
	if least[1].Defined() && top[1] > 0 {
		high := least[2] / top[1]
		if reference < 0 {
			high = min(1, high)
		}
		c.Interval, c.Reason = &Interval{Low: least[1] / top[2], High: high, Method: "simultaneous"}, ""
		switch {
		case c.Interval.Low >= FourFifths:
			c.Outcome = "pass"
		case c.Interval.High < FourFifths:
			c.Outcome = "fail"
		default:
			c.Outcome = "undecided"
		}
	}
	return c, true
}
