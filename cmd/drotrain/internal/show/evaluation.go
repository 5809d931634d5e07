package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// Evaluation prints an evaluation in 80 columns.
func Evaluation(w io.Writer, e *eval.Evaluation, title string) {
	fmt.Fprintf(w, "%s\n\n", title)
	verdictLines(w, "", e)
	for _, d := range e.Verdict.Details {
		Wrapped(w, "  ", d)
	}
	fmt.Fprintln(w)
	printOverall(w, e)
	for _, g := range e.Groupings {
		printGrouping(w, e, g)
	}
	if len(e.Caveats) > 0 {
		fmt.Fprintln(w, "\nCaveats")
		for _, c := range e.Caveats {
			Wrapped(w, "  ", c)
		}
	}
}

// Verdict prints the verdict of an evaluation.
func Verdict(w io.Writer, e *eval.Evaluation) {
	where := "on " + e.DescribeRows()
	switch {
	case e.Filter != "":
	case e.Split == eval.Table:
		where = fmt.Sprintf("on all rows of the table (%s)", Thousands(e.N))
	case e.Split == eval.OutOfFold:
		where = fmt.Sprintf("out of fold (%s)", Plural(e.N, "row", "rows"))
	}
	fmt.Fprintf(w, "\nMeasured %s\n", where)
	verdictLines(w, "  ", e)
}

// verdictLines prints the sentences of a verdict, beginning with the recommendation and ending with the constant to
// compare with. On a terminal the first is bold.
func verdictLines(w io.Writer, indent string, e *eval.Evaluation) {
	v := &e.Verdict
	first := true
	for _, s := range []string{v.Recommendation, v.Headline, v.Numbers, v.Cost, e.ConstantSentence()} {
		if s == "" {
			continue
		}
		if first {
			WriteBold(w, func() { Wrapped(w, indent, s) })
			first = false
			continue
		}
		Wrapped(w, indent, s)
	}
}

// shownGroups is the maximum number of groups printed; the files contain all groups.
const shownGroups = 50

// shownModels is the maximum number of models printed; the files contain all models.
const shownModels = 4

func printOverall(w io.Writer, e *eval.Evaluation) {
	label, cell := 44, 15
	if k := min(len(e.Models), shownModels); k > 2 {
		label, cell = 36, (Width-36)/k-2
	}
	line := func(name string, cells []string) {
		fmt.Fprintf(w, "%s", FitWidth(name, label))
		for _, c := range cells {
			fmt.Fprintf(w, "  %s", PadLeft(c, cell))
		}
		fmt.Fprintln(w)
	}
	names := modelNames(e)
	line("Overall", names[:min(len(names), shownModels)])
	for _, q := range e.Task.Measures() {
		if e.IsRisk(q) {
			continue // the risk has been printed already
		}
		name := "  " + q.Label
		switch q.Unit {
		case "loss":
			name = printable.WithUnit(name, e.LossUnit)
		case "target":
			name = printable.WithUnit(name, cmp.Or(e.TargetUnit, "units of "+e.Target))
		}
		var cells []string
		for k := range min(len(e.Models), shownModels) {
			cells = append(cells, measuredText(e.Models[k].Overall, q.Key))
		}
		line(name, cells)
	}
	if n := len(e.Models) - shownModels; n > 0 {
		fmt.Fprintf(w, "  and %d more in the report\n", n)
	}
}

func modelNames(e *eval.Evaluation) []string {
	names := make([]string, len(e.Models))
	short := map[eval.Role]string{eval.BalancedModel: "balanced", eval.RescaledModel: "rescaled"}
	for k, m := range e.Models {
		names[k] = cmp.Or(short[m.Role], m.Name)
	}
	return names
}

// measuredText formats a measure, with a dash if it is undefined.
func measuredText(v eval.Values, key string) string {
	if x, ok := v.Get(key); ok {
		return Number4(x)
	}
	return "-"
}

// printGrouping prints the risk and the second measure of every group, in the order of a report.
func printGrouping(w io.Writer, e *eval.Evaluation, g eval.Grouping) {
	const label = 29
	measures := e.Task.Measures()[:2]
	models := min(len(e.Models), shownModels)
	if models > 2 {
		measures = measures[:1]
	}
	cell := min(16, (Width-label-11)/(models*len(measures))-1)
	fmt.Fprintf(w, "\n%s  %s ", FitWidth("", label), PadLeft("", 7))
	for _, q := range measures {
		fmt.Fprintf(w, " %s", PadLeft(q.Label, (cell+1)*models-1))
	}
	fmt.Fprintln(w)
	line := func(name, rows string, cells []string) {
		fmt.Fprintf(w, "%s  %s  %s\n", FitWidth(name, label), PadLeft(rows, 7), strings.Join(cells, " "))
	}
	var head []string
	for range measures {
		for _, name := range modelNames(e)[:models] {
			head = append(head, PadLeft(name, cell))
		}
	}
	line("By "+g.Name, "rows", head)
	small := false
	for i, h := range g.WorstFirst(e.Shown()) {
		if i == shownGroups {
			fmt.Fprintf(w, "  and %s\n", Plural(len(g.Groups)-i, "more group", "more groups"))
			break
		}
		name := "  " + h.Label
		if !h.Sufficient {
			name, small = FitWidth(name, label-2)+" *", true
		}
		var cells []string
		for _, q := range measures {
			for _, m := range h.Models[:models] {
				cells = append(cells, PadLeft(measuredText(m.Values, q.Key), cell))
			}
		}
		line(name, Thousands(h.N), cells)
	}
	if small {
		fmt.Fprintf(w, "  * fewer than %d rows: too few for any conclusion\n", e.MinGroupSize)
	}
}
