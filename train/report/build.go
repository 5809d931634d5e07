package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// Report returns a report of the evaluation. For a trained model it includes information from the training, and the
// adversary if its weights on the training rows are known.
func (x *Measured) Report() (*eval.Report, error) {
	switch {
	case x.audit != nil:
		return x.auditReport(), nil
	case x.compared != nil:
		return x.comparisonReport(), nil
	}
	m := x.model
	s, day := m.Summary(""), ""
	if !m.Trained.IsZero() {
		day = " " + m.Trained.Format(time.DateOnly)
	}
	where := x.Evaluation.DescribeRows()
	if x.Evaluation.Split == eval.Table && x.table != "" {
		where = fmt.Sprintf("%s (%s)", x.table, x.Evaluation.CountRows())
	}
	r := &eval.Report{
		Title:    fmt.Sprintf("%s predicting %s, trained on %s", reportTitle(m), m.Encoder.Target.Name, m.Config.Data),
		Subtitle: fmt.Sprintf("Trained%s on %s rows, evaluated on %s.", day, printable.Count(m.TrainRows), where),
		Trained:  m.Trained,
		Objective: eval.Objective{
			Loss: lossName(m.Config), LossAbout: lossAbout(m.Config), Penalty: s.Penalty, Nu: s.Nu, Mu: s.Mu,
			N: s.N, Text: objectiveText(m),
			// A chosen level was chosen on the training rows alone, with ERM among the candidates.
			Selection: selectionText(m), SelectedAlike: true,
		},
		Facts:             provenanceFacts(m),
		Certificate:       certificateOf(m),
		Choice:            Choice(m.Result.Selection),
		Evaluation:        x.Evaluation,
		Coefficients:      Coefficients(m),
		GroupCoefficients: groupCoefficients(m),
		Notes:             slices.Concat(reportNotes(m), x.notes, foldNotes(x.folds, m.Result.Selection != nil)),
		Command:           x.options.Command,
		Card:              x.options.Card,
	}
	var err error
	r.Adversary, err = x.describeAdversary()
	return r, err
}

// describeAdversary describes the weights of the worst case. It returns nil if the model has no adversary or its
// weights are unknown. It may be called by several goroutines.
func (x *Measured) describeAdversary() (*eval.Adversary, error) {
	x.adversary.Do(func() {
		m := x.model
		if m.Config.KeepsWeights() || x.run == nil || x.run.Weights == nil {
			return
		}
		s := m.Summary("")
		a, err := eval.DescribeAdversary(eval.AdversaryInput{
			Weights: x.run.Weights, Loss: x.run.Loss, Groups: x.options.relabelGroups(x.run.Train.Groups),
			Penalty: s.Penalty, Nu: s.Nu, OverGroups: m.Config.IsGroupwise(), Arena: arenaOf(x.run.Train),
		})
		if err == nil {
			// convert indices among the training rows to row numbers in the table
			for k := range a.Top {
				a.Top[k].Row = x.run.Train.Rows[a.Top[k].Row-1] + 1
			}
		}
		x.adversary.is, x.adversary.err = a, err
	})
	return x.adversary.is, x.adversary.err
}

// reportTitle returns the name of the delivered model for the title of the report.
func reportTitle(m *train.Model) string {
	if m.Result.Recommended == train.VariantERM {
		return "Standard model (" + Baseline + ")"
	}
	return printable.Capitalise(nameTrained(m))
}

// nameTrained names the trained model, without an article.
func nameTrained(m *train.Model) string {
	switch m.Config.Average {
	case "plain":
		return "standard model (" + Baseline + ")"
	case "balanced":
		return "group-balanced model"
	case "half-balanced":
		return "half-balanced model"
	case "subsets", level.ValidationSubsets:
		return "mean of models on balanced subsets"
	}
	return "robust model"
}

// reportNotes returns the notes recorded during training, and notes that explain group-balanced and rescaled ERM.
func reportNotes(m *train.Model) []string {
	out := append([]string{}, m.Notes...)
	if n := len(m.Encoder.Groups); m.GroupWeighted != nil && n > 0 {
		out = append(out, fmt.Sprintf(
			"%s is ERM on the training rows, with μ = %s and the same total weight for every group of %s.",
			printable.Capitalise(Balanced), printable.Setting(m.Result.GroupWeighted.Mu), m.Encoder.Groups[n-1].Name))
	}
	if t := m.Result.Tempered; t != nil {
		out = append(out, describeTempering(t, "the "+nameTrained(m)))
	}
	return out
}

// describeTempering returns sentences that define rescaled ERM and compare it with the given model.
func describeTempering(t *train.SummaryTempered, model string) string {
	said := fmt.Sprintf(
		"%s is ERM with its scores multiplied by %s and a new intercept, both chosen to minimise the objective of %s",
		printable.Capitalise(Rescaled), printable.Setting(t.Slope), model)
	if t.ExplainedRobust != nil {
		said += fmt.Sprintf(". On the training rows it achieves %.3g %% of the reduction in robust risk that %s achieves",
			100**t.ExplainedRobust, model)
	}
	if t.RankCorrelation != nil {
		said += fmt.Sprintf(". On the training rows, the scores of %s and of %s have a rank correlation of %.3g", Baseline,
			model, *t.RankCorrelation)
	}
	return said + "."
}

// provenanceFacts returns the facts about the training that the report lists.
func provenanceFacts(m *train.Model) []eval.Fact {
	c := m.Config
	out := []eval.Fact{
		{Key: "data", Value: c.Data},
		{Key: "hold-out rows", Value: printable.Count(m.HoldoutRows)},
		{Key: "encoded columns", Value: printable.Count(m.Encoder.D())},
		{Key: "seed", Value: strconv.FormatUint(c.Seed, 10)},
		{Key: "trained by", Value: "drotrain " + m.Version},
	}
	if p := m.Periods; p != nil {
		out = append(out, eval.Fact{Key: "times in " + c.Time, Value: p.String()})
	}
	return append(out, checksums(m.Sources)...)
}

// checksums returns the SHA-256 of the sources for which it is known.
func checksums(sources []data.Source) []eval.Fact {
	var out []eval.Fact
	for _, s := range sources {
		if s.SHA256 != "" {
			out = append(out, eval.Fact{Key: "SHA-256 of " + s.Path, Value: s.SHA256})
		}
	}
	return out
}

// certificateOf returns the certificate of the training run for the report.
func certificateOf(m *train.Model) *eval.Certificate {
	s := m.Summary("")
	return &eval.Certificate{
		Upper: optionalNum(s.Certificate.Upper), Lower: optionalNum(s.Certificate.Lower),
		Gap: optionalNum(s.Certificate.Gap), RelativeGap: optionalNum(s.Certificate.RelativeGap),
		Target: eval.Num(m.Config.Gap), Certified: s.Certified,
		Passes: s.Passes, Seconds: s.Seconds, Solver: s.Solver, Status: s.Status,
	}
}

// optionalNum returns *p, or NaN if p is nil.
func optionalNum(p *float64) eval.Num {
	if p == nil {
		return eval.Num(math.NaN())
	}
	return eval.Num(*p)
}
