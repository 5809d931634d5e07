package eval

import (
	"fmt"
	"slices"

	"github.com/drotrain/drotrain/internal/printable"
)

// addCaveats adds what readers must know before they quote the numbers.
func (e *Evaluation) addCaveats(in *Input) {
	say := func(format string, a ...any) { e.Caveats = append(e.Caveats, fmt.Sprintf(format, a...)) }
	if e.Split == Training {
		say("All numbers are measured on the training rows, which flatters every model. Evaluate on hold-out rows before " +
			"deciding.")
	}
	for _, g := range e.Groupings {
		var small []string
		for _, h := range g.Groups {
			if !h.Sufficient {
				small = append(small, fmt.Sprintf("%s (n = %d)", h.Label, h.N))
			}
		}
		one, many := "group", "groups"
		if e.Task == Multiclass && g.Name == e.Target {
			one, many = "class", "classes"
		}
		if len(small) > 0 {
			say("%s: %s fewer than %d rows, too few for any conclusion: %s.",
				g.Name, printable.Plural(len(small), one+" has", many+" have"), e.MinGroupSize, printable.List(small, 8))
		}
	}
	for k, m := range e.Models {
		for _, q := range e.Task.Measures() {
			if why, ok := m.Overall.Why[q.Key]; ok && !isNoWorry(why) {
				say("%s of %s could not be computed: %s.", q.Label, e.nameOrPredictions(k), why)
			}
		}
		if score := in.Models[k].Score; e.N > 1 && !slices.ContainsFunc(score,
			func(s float64) bool { return s != score[0] }) {
			if name := e.nameOrPredictions(k); m.Role == OtherModel && name != m.Name {
				say("The predictions are the same for every row.")
			} else {
				say("%s predicts the same value for every row.", name)
			}
		}
	}
	if g := e.Headline(); g != nil {
		undefined := make(map[string][]string)
		for _, h := range g.Groups {
			for key, why := range h.Models[0].Values.Why {
				if isNoWorry(why) {
					continue
				}
				undefined[key] = append(undefined[key], h.Label+" ("+why+")")
			}
		}
		for _, list := range groupByReason(e.Task, undefined) {
			at := undefined[list[0].Key]
			var labels []string
			for _, q := range list {
				labels = append(labels, q.Label)
			}
			say("%s %s undefined in %s of %s: %s.", printable.List(labels, len(labels)),
				printable.Noun(len(labels), "is", "are"),
				printable.Plural(len(at), "group", "groups"), g.Name, printable.List(at, 5))
		}
		var one []string
		for _, h := range g.Groups {
			if p := h.Models[0].Values.prevalence(); e.Task == Binary && h.Sufficient && (p == 0 || p == 1) {
				one = append(one, fmt.Sprintf("%s (n = %d)", h.Label, h.N))
			}
		}
		if len(one) > 0 {
			bounds := "do not account for this"
			if hasLogLoss(in.rows) {
				bounds = "allow for rows of the missing class that the sample may lack by chance; the scores determine the " +
					"losses of such rows"
			}
			say("%s: in %s all rows belong to one class, so errors on the other class are unknown in these groups. "+
				"Bounds on the worst group %s. Affected: %s.",
				g.Name, printable.Plural(len(one), "group", "groups"), bounds, printable.List(one, 8))
		}
		if w := e.Models[0].WorstGroup; w == nil {
			say("No group of %s has %d rows or more, so no worst group is reported.", g.Name, e.MinGroupSize)
		} else if w.Compared > 1 {
			if e.Resamples != 0 {
				say("An ordinary interval for the worst of %d groups would be too narrow, because the group was selected for its "+
					"result. The intervals of groups are therefore simultaneous: they are valid whichever group is worst.", w.Compared)
			} else {
				say("The worst of %d groups was selected for its result, so its risk is overestimated. No intervals were "+
					"computed.", w.Compared)
			}
		}
	} else {
		say("No grouping columns were given: nothing can be said about groups.")
	}
	if e.Resamples == 0 {
		var except []string
		if d := e.Models[e.Focus()].OverConstant; d != nil && d.Interval != nil {
			except = append(except, "the comparison with a constant prediction")
		}
		if in.Columns != nil {
			except = append(except, "the search for slices")
		}
		note := ""
		if except != nil {
			note = ", except in " + printable.JoinWords(except, "and")
		}
		say("No intervals were computed%s; differences between models are not tested.", note)
	}
}

// groupByReason lists the measures that are undefined in some group, one list for each combination of groups and
// reasons. undefined maps the key of a measure to its groups, each with the reason.
func groupByReason(t Task, undefined map[string][]string) (out [][]Measure) {
	for _, q := range t.Measures() {
		at := undefined[q.Key]
		if len(at) == 0 {
			continue
		}
		i := slices.IndexFunc(out, func(list []Measure) bool { return slices.Equal(undefined[list[0].Key], at) })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], q)
	}
	return out
}
