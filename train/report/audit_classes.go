package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/fix"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/memory"
)

// hasClassColumns reports whether a score has one column for each class: its name contains a * and is not itself
// the name of a column.
func (o *audit) hasClassColumns(s Score) bool {
	return strings.Contains(s.Column, "*") && !o.frame.Has(s.Column)
}

// scoreColumns returns the names of the columns of a score.
func (o *audit) scoreColumns(s Score) []string {
	if !o.hasClassColumns(s) {
		return []string{s.Column}
	}
	var columns []string
	for _, class := range o.classes {
		columns = append(columns, columnOfClass(s, class))
	}
	return columns
}

// columnOfClass returns the name of the column of a score for a class.
func columnOfClass(s Score, class string) string { return strings.Replace(s.Column, "*", class, 1) }

// findClasses sets the classes according to the names of the first score's columns, in the order of the table.
func (o *audit) findClasses() error {
	several := slices.ContainsFunc(o.Scores, o.hasClassColumns)
	for _, s := range o.Scores {
		named := func(c *data.Column) bool { return strings.HasPrefix(c.Name, s.Column+"_") }
		if !several && !o.frame.Has(s.Column) && slices.ContainsFunc(o.frame.Columns, named) {
			return &OptionError{"", fmt.Sprintf("there is no column %q", s.Column),
				fmt.Sprintf("for more than two classes write %s_*, where * stands for the class", s.Column)}
		}
		if several && !o.hasClassColumns(s) {
			return &OptionError{"score", fmt.Sprintf("%q names one column, but another score has one per class",
				s.Column), "write * in place of the class, as in p_*"}
		}
	}
	if !several {
		return nil
	}
	first := o.Scores[0]
	before, after, _ := strings.Cut(first.Column, "*")
	others := slices.Concat([]string{o.Label, o.Weight}, o.Groups, o.Columns, o.Drop)
	for _, c := range o.frame.Columns {
		if class, ok := strings.CutPrefix(c.Name, before); ok && c.Kind == data.Numeric && !slices.Contains(others, c.Name) {
			if class, ok := strings.CutSuffix(class, after); ok && class != "" {
				o.classes = append(o.classes, class)
			}
		}
	}
	switch {
	case len(o.classes) < 3:
		return &OptionError{"score", fmt.Sprintf("%q names columns of %d %s, but at least three are needed", first.Column,
			len(o.classes),
			printable.Noun(len(o.classes), "class", "classes")),
			"write * in place of the class, as in p_*; for two classes, name the column of the positive class"}
	case o.Task != "" && o.Task != eval.Multiclass:
		return &OptionError{"task", fmt.Sprintf("is %s, but %q names columns of %d classes", o.Task, first.Column,
			len(o.classes)), ""}
	case o.Loss != "" && o.Loss != "logistic":
		return &OptionError{"loss", fmt.Sprintf("%s is not a loss of several classes", o.Loss), "choose logistic"}
	case o.Positive != "":
		return &OptionError{"positive", "is for two classes", "leave it out"}
	case o.Threshold != nil:
		return &OptionError{"threshold", "is for two classes", "leave it out"}
	}
	return nil
}

// readClasses sets the task, the classes and the targets for more than two classes, given the column of labels.
func (o *audit) readClasses(c *data.Column, in *eval.Input) error {
	in.Task, in.Classes = eval.Multiclass, o.classes
	in.Target = memory.Make[float64](in.Arena, o.count())
	index := map[string]int{}
	for k, class := range o.classes {
		index[class] = k
	}
	for i := range in.Target {
		if c.IsNull(i) {
			return o.faultAt(o.Label, i, fix.Offer(fix.DropNullRows), "the label is missing")
		}
		k, ok := index[c.Text(i)]
		if !ok {
			return o.faultAt(o.Label, i, fix.Advise("every class needs a column of probabilities"),
				"the label is %q, but there is no column %q", c.Text(i), columnOfClass(o.Scores[0], c.Text(i)))
		}
		in.Target[i] = float64(k)
	}
	return nil
}

// readClassScores sets the models with their losses, and the losses of the best constant, for more than two classes. It
// reads every column of probabilities twice, one column after another.
func (o *audit) readClassScores(ctx context.Context, in *eval.Input) error {
	in.LossName, in.LossUnit = "logistic", "nats"
	for _, s := range o.Scores {
		m, err := o.readClassScore(ctx, in, s)
		if err != nil {
			return err
		}
		in.Models = append(in.Models, m)
	}
	weight := make([]float64, len(o.classes))
	total := 0.0
	for i, t := range in.Target {
		w := 1.0
		if in.Weight != nil {
			w = in.Weight[i]
		}
		weight[int(t)] += w
		total += w
	}
	in.FitsConstant = true
	in.Constant = memory.Make[float64](in.Arena, len(in.Target))
	for i, t := range in.Target {
		in.Constant[i] = -math.Log(weight[int(t)] / total)
	}
	return nil
}

// readClassScore returns the model with the given score: for each row the probability of the actual class, its rank, the
// most probable class and the loss.
func (o *audit) readClassScore(ctx context.Context, in *eval.Input, s Score) (eval.Model, error) {
	n := len(in.Target)
	m := eval.Model{
		Name: s.Name, Score: memory.Make[float64](in.Arena, n), Loss: memory.Make[float64](in.Arena, n),
		Class: memory.Make[int32](in.Arena, n), Place: memory.Make[int32](in.Arena, n),
	}
	best, sum := memory.Make[float64](in.Arena, n), memory.Make[float64](in.Arena, n)
	defer memory.Release(in.Arena, best)
	defer memory.Release(in.Arena, sum)
	probability := func(x float64) bool { return x >= 0 && x <= 1 }
	for pass := range 2 {
		for c := range o.classes {
			p, err := readNumbers(ctx, o.frame, o.rows, in.Arena, numberColumn{columnOfClass(s, o.classes[c]), "a score",
				probability, "a probability, from 0 to 1", ""})
			if err != nil {
				return m, err
			}
			for i, v := range p {
				t := int(in.Target[i])
				switch {
				case pass == 1: // m.Score[i] is the probability of the actual class
					if v > m.Score[i] || v == m.Score[i] && c <= t {
						m.Place[i]++
					}
					continue
				case c == t:
					m.Score[i] = v
				}
				if sum[i] += v; c == 0 || v > best[i] {
					best[i], m.Class[i] = v, int32(c)
				}
			}
			memory.Release(in.Arena, p)
		}
	}
	const rounded = 0.01 // tolerance for probabilities that were written with few digits
	for i, v := range sum {
		if !(math.Abs(v-1) <= rounded) {
			return m, o.faultAt(columnOfClass(s, "*"), i,
				fix.Advise("every class needs a column, and no other column may match the pattern"),
				"the probabilities of the %d classes sum to %.4g, not to 1", len(o.classes), v)
		}
		m.Loss[i] = -math.Log(max(m.Score[i], 0x1p-52))
	}
	return m, nil
}
