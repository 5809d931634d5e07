package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
)

// buildReport puts what training knows beside an evaluation of the rows of in.
// Without a run the adversary is the worst case of those rows' own losses.
func buildReport(m *train.Model, run *train.Run, in *eval.Input, e *eval.Evaluation, command string, showRows bool) (*eval.Report, error) {
	s := m.Summary("")
	r := &eval.Report{
		Title: fmt.Sprintf("Robust model of %s", m.Encoder.Target.Name),
		Objective: eval.Objective{
			Loss: lossName(m.Config), Penalty: s.Penalty, Nu: s.Nu, Mu: s.Mu, N: s.N,
			// Nothing is tuned on the data: the baseline differs from the robust
			// model by ν alone.
			Selection: "ν and μ as set, none tuned; the baseline has the same μ", SelectedAlike: true,
		},
		Facts:        facts(m),
		Certificate:  certificate(m),
		Trace:        trace(m),
		Evaluation:   e,
		Coefficients: coefficients(m),
		Notes:        notes(m),
		Command:      command,
	}
	if run == nil && s.Nu > 0 {
		var err error
		r.Adversary, err = holders(in, s.Penalty, s.Nu, showRows)
		return r, err
	}
	if run == nil || run.Weights == nil {
		return r, nil
	}
	p, err := m.PredictDataset(run.Train, m.Coefficients)
	if err != nil {
		return nil, err
	}
	r.Adversary, err = eval.DescribeAdversary(eval.AdversaryInput{
		Weights: run.Weights, Loss: p.Loss, Groups: run.Train.Groups,
		RowID: rowNumbers(run.Train.Rows), Columns: rawColumns(m, run.Frame, run.Train.Rows),
		Penalty: s.Penalty, Nu: s.Nu, ShowRows: showRows,
	})
	return r, err
}

// notes are the remarks of the training.
func notes(m *train.Model) []string {
	out := append([]string{}, m.Notes...)
	if m.GroupWeighted != nil {
		out = append(out, fmt.Sprintf("%s is ERM on the same rows with the same μ, in which every group of %s weighs the same: what weighing the known groups achieves without an adversary.",
			balancedName, groupingName(m)))
	}
	return out
}

// facts is the data sheet of the report.
func facts(m *train.Model) []eval.Fact {
	c := m.Config
	out := []eval.Fact{
		{Key: "data", Value: c.Data},
		{Key: "hold-out rows", Value: strconv.Itoa(m.HoldoutRows)},
		{Key: "encoded columns", Value: strconv.Itoa(m.Encoder.D())},
		{Key: "seed", Value: strconv.FormatUint(c.Seed, 10)},
		{Key: "trained by", Value: "drotrain " + m.Version},
	}
	for _, s := range m.Sources {
		if s.SHA256 != "" {
			out = append(out, eval.Fact{Key: "SHA-256 of " + s.Path, Value: s.SHA256})
		}
	}
	return out
}

func targetText(m *train.Model) string {
	t := m.Encoder.Target
	if t.Task == data.Binary {
		return fmt.Sprintf("%s, %s against %s", t.Name, t.Positive, t.Negative)
	}
	return t.Name
}

func certificate(m *train.Model) *eval.Certificate {
	s := m.Summary("")
	return &eval.Certificate{
		Upper: num(s.Certificate.Upper), Lower: num(s.Certificate.Lower),
		Gap: num(s.Certificate.Gap), RelativeGap: num(s.Certificate.RelativeGap),
		Target: eval.Num(m.Config.Gap), Certified: s.Certified,
		Passes: s.Passes, Seconds: s.Seconds, Solver: s.Solver, Status: s.Status,
	}
}

func num(p *float64) eval.Num {
	if p == nil {
		return eval.Undefined()
	}
	return eval.Num(*p)
}

func trace(m *train.Model) []eval.TracePoint {
	out := make([]eval.TracePoint, len(m.Trace))
	for i, t := range m.Trace {
		out[i] = eval.TracePoint{Passes: t.Passes, Seconds: t.Seconds, Upper: math.NaN(), Lower: math.Inf(-1)}
		if t.Upper != nil {
			out[i].Upper = *t.Upper
		}
		if t.Lower != nil {
			out[i].Lower = *t.Lower
		}
	}
	return out
}

func coefficients(m *train.Model) *eval.Coefficients {
	c := &eval.Coefficients{
		Models: []string{baselineName, robustName},
		Unit:   m.Encoder.Target.Name + " per unit", Scaled: "per standard deviation of the column",
	}
	if m.Encoder.Target.Task == data.Binary {
		c.Unit = "log-odds per unit"
	}
	robust, erm := []float64{}, []float64{}
	for _, e := range m.Explain() {
		robust, erm = append(robust, e.Robust), append(erm, e.Baseline)
		c.Rows = append(c.Rows, eval.Coefficient{Name: e.Name})
	}
	add := func(original, scaled []float64) {
		for i := range c.Rows {
			row := &c.Rows[i]
			row.Original = append(row.Original, eval.Num(original[i]))
			if i < len(scaled) {
				row.Scaled = append(row.Scaled, eval.Num(scaled[i]))
			}
		}
	}
	add(erm, m.Baseline)
	add(robust, m.Coefficients)
	if m.GroupWeighted != nil {
		other := *m // explained in the place of the baseline
		other.Baseline = m.GroupWeighted
		var balanced []float64
		for _, e := range other.Explain() {
			balanced = append(balanced, e.Baseline)
		}
		if len(balanced) == len(c.Rows) {
			c.Models = append(c.Models, balancedName)
			add(balanced, m.GroupWeighted)
		}
	}
	return c
}

// rebuildRun splits and encodes the training table again, as the training did,
// for a model that was loaded.
func rebuildRun(m *train.Model, f *data.Frame) (*train.Run, error) {
	changed := func(why string) error {
		return withHint(fmt.Errorf("%s is not the data the model was trained on: %s", m.Config.Data, why),
			"name the data to measure the model on with --data")
	}
	if err := f.Fingerprint(); err != nil {
		return nil, err
	}
	if !sameSources(m.Sources, f.Sources) {
		return nil, changed("its SHA-256 differs")
	}
	rows, held, err := data.Split(f.Rows, m.Config.Holdout, m.Config.Seed)
	if err != nil {
		return nil, err
	}
	run := &train.Run{Frame: f}
	if run.Train, _, err = m.Encoder.Encode(f, rows); err != nil {
		return nil, err
	}
	if run.Train.N != m.TrainRows {
		return nil, changed(fmt.Sprintf("it has %d training rows, not %d", run.Train.N, m.TrainRows))
	}
	if len(held) > 0 {
		if run.Holdout, _, err = m.Encoder.Encode(f, held); err != nil {
			return nil, err
		}
	}
	p, err := m.PredictDataset(run.Train, m.Coefficients)
	if err != nil || m.Config.Nu == 0 {
		return run, err // at ν = 0 the weights are not unique
	}
	if m.Config.Penalty == "chi2" {
		run.Weights, _, err = eval.WorstCaseChiSquare(p.Loss, m.Config.Nu)
	} else {
		run.Weights, _, err = eval.WorstCaseKL(p.Loss, m.Config.Nu)
	}
	return run, err
}

// sameSources compares the contents of the files, not their names.
func sameSources(a, b []data.Source) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range a {
		if a[i].SHA256 == "" || a[i].SHA256 != b[i].SHA256 {
			return false
		}
	}
	return true
}
