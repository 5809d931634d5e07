package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/propose"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

const (
	measuredRows  = 2000      // maximum number of rows on which proposals are evaluated
	measuredCells = 2_000_000 // maximum number of cells of a table that is read again for a proposal
	maxMeasured   = 10        // maximum number of measurements
	// number of standard errors by which dropping a column must be worse for the column to be kept
	maxWorsening = 2
)

// A measurement compares the mean out-of-fold loss of ERM with and without an option, on the same rows and folds.
type measurement struct {
	Option  string  `json:"option"` // an option such as "--drop id"
	With    float64 `json:"with"`
	Without float64 `json:"without"`
	SE      float64 `json:"standard_error"` // standard error of the difference
	Kept    bool    `json:"kept"`           // whether the option is proposed
}

// String returns the measurement as a sentence.
func (m measurement) String() string {
	verdict := "not proposed"
	if m.Kept {
		verdict = "proposed"
	}
	return fmt.Sprintf("%s: %.4f with it, %.4f without it (standard error of the difference %.4f): %s", m.Option, m.With,
		m.Without, m.SE, verdict)
}

// A measurer evaluates the parts of a proposal.
type measurer struct {
	ctx    context.Context
	a      *app
	p      *propose.Proposal
	path   string
	rows   []int
	frame  *data.Frame
	config train.Config // configuration with the proposal
	loss   []float64    // losses of the rows under config
	out    []measurement
}

// measureProposal evaluates what the proposal p drops or reads differently, and withdraws the parts that are clearly
// worse from p. To p it adds that codes are read as categories, bounds as numbers or codes as missing values, if this
// lowers the loss. It returns no measurements for a target with more than two classes, for a stream, or if training
// fails.
func measureProposal(
	ctx context.Context, a *app, p *propose.Proposal, path string, groups []string, weight string,
) []measurement {
	info, err := os.Stat(path)
	stream := err == nil && info.Mode()&os.ModeNamedPipe != 0 || path == stream
	if p.Task == encode.Multiclass || stream {
		return nil
	}
	m := &measurer{ctx: ctx, a: a, p: p, path: path, config: train.DefaultConfig()}
	c := &m.config
	c.Target, c.Groups, c.Drop, c.Impute, c.MinCount, c.Loss, c.Weight, c.Reading =
		p.Target, groups, slices.Clone(p.Drop), "error", p.MinCount, p.Loss, weight, p.Reading
	if p.Impute != "" {
		c.Impute = p.Impute
	}
	c.Holdout, c.GroupCoefficients, c.Level, c.NoBaseline, c.KeepRows =
		0, "no", level.Level{Average: "plain", Penalty: "kl"}, false, true
	if m.frame, err = a.openTable(ctx, path, p.Reading); err != nil {
		return nil
	}
	defer func() { m.frame.Close() }()
	if m.rows, err = m.frame.Filter(ctx, p.Filter); err != nil || p.Filter == "" {
		m.rows = nil
	}
	m.sampleRows()
	if m.loss, err = m.measure(m.frame, *c); err != nil {
		return nil
	}
	m.measureDrops()
	m.measureOthers()
	p.Drop, p.MinCount, p.Reading = m.config.Drop, m.config.MinCount, m.config.Reading
	return m.out
}

// sampleRows keeps at most measuredRows rows, at equal distances.
func (m *measurer) sampleRows() {
	n := len(m.rows)
	if m.rows == nil {
		n = m.frame.Rows
	}
	count := min(n, measuredRows)
	out := make([]int, count)
	for i := range out {
		if out[i] = int(int64(i) * int64(n) / int64(count)); m.rows != nil {
			out[i] = m.rows[out[i]]
		}
	}
	m.rows = out
}

// measure returns the out-of-fold losses that a model trained on f with the configuration c, which is of ERM, has in
// the measured rows.
func (m *measurer) measure(f *data.Frame, c train.Config) ([]float64, error) {
	c.Rows = &train.RowSet{Train: m.rows}
	model, err := train.FitFrame(m.ctx, f, c)
	if err != nil {
		return nil, err
	}
	defer model.Run.Close()
	out, err := model.CrossFit(m.ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clone(out.Robust.Loss), nil
}

// compare evaluates an option by the losses of the same rows with and without it. It records both means and the
// standard error of their difference, and reports whether kept accepts the option.
func (m *measurer) compare(option string, with, without []float64, kept func(difference, se float64) bool) bool {
	if len(with) != len(without) {
		return false
	}
	n := float64(len(with))
	var a, b, squares float64
	for i := range with {
		a, b = a+with[i]/n, b+without[i]/n
	}
	for i := range with {
		d := with[i] - without[i] - (a - b)
		squares += d * d
	}
	one := measurement{Option: option, With: a, Without: b, SE: math.Sqrt(squares) / n}
	one.Kept = kept(a-b, one.SE)
	m.out = append(m.out, one)
	return one.Kept
}

// measureDrops evaluates dropping columns that are dropped for reasons other than a leak, and merging rare levels.
func (m *measurer) measureDrops() {
	notWorse := func(difference, se float64) bool { return difference <= maxWorsening*se }
	for k := range m.p.Findings {
		f := &m.p.Findings[k]
		if f.IsLeak() || f.Proposal != "left out" || !slices.Contains(m.config.Drop, f.Column) || len(m.out) >= maxMeasured {
			continue
		}
		c := m.config
		c.Drop = slices.DeleteFunc(slices.Clone(c.Drop), func(name string) bool { return name == f.Column })
		without, err := m.measure(m.frame, c)
		if err != nil { // the column cannot be a feature
			continue
		}
		if !m.compare("--drop "+printable.QuoteShell(f.Column), m.loss, without, notWorse) {
			m.config, m.loss = c, without
			f.Proposal = "kept: predictions are worse without the column"
		}
	}
	if m.config.MinCount > 0 {
		c := m.config
		c.MinCount = 0
		if without, err := m.measure(m.frame, c); err == nil &&
			!m.compare(fmt.Sprintf("--min-count %d", m.config.MinCount), m.loss, without, notWorse) {
			m.config, m.loss = c, without
		}
	}
}

// measureOthers evaluates codes as categories, bounds as numbers, and codes for missing values.
func (m *measurer) measureOthers() {
	// the values themselves are the evidence; the loss need only not contradict it
	better := func(difference, _ float64) bool { return difference < 0 }
	for k := range m.p.Findings {
		f := &m.p.Findings[k]
		c, option, again := m.config, "", true
		c.Reading.Text.Missing, c.Reading.Relabel = slices.Clone(c.Reading.Text.Missing), maps.Clone(c.Reading.Relabel)
		switch f.What {
		case check.Codes:
			option, again = "--categorical "+printable.QuoteShell(f.Column), false
			c.Categorical = append(slices.Clone(c.Categorical), f.Column)
		case check.Bounds:
			if c.Reading.Relabel == nil {
				c.Reading.Relabel = map[string]string{}
			}
			maps.Copy(c.Reading.Relabel, f.Renames)
			option = "--relabel " + printable.QuoteShell(formatRelabel(f.Renames))
		case check.Sentinel:
			c.Reading.Text.Missing = append(c.Reading.Text.Missing, f.Texts...)
			c.Impute = "median"
			option = "--na " + printable.QuoteShell(setting.JoinNames(f.Texts)) + " --impute median"
		default:
			continue
		}
		if len(m.out) >= maxMeasured || again && m.frame.Rows*len(m.frame.Columns) > measuredCells {
			continue
		}
		frame := m.frame
		if again {
			var err error
			if frame, err = m.a.openTable(m.ctx, m.path, c.Reading); err != nil {
				continue
			}
		}
		with, err := m.measure(frame, c)
		if err != nil || !m.compare(option, with, m.loss, better) {
			if again {
				frame.Close()
			}
			continue
		}
		if again {
			m.frame.Close()
		}
		m.frame, m.config, m.loss = frame, c, with
		m.p.Impute = strings.TrimPrefix(c.Impute, "error")
		m.p.Categorical = c.Categorical
		f.Proposal = "proposed; measured below"
	}
}

// printMeasured writes the measurements of a proposal.
func (p *proposedTraining) printMeasured(w interface{ Write([]byte) (int, error) }) {
	if len(p.Measured) == 0 {
		return
	}
	fmt.Fprintf(w, "\nMeasured: mean loss of ERM out of fold, on the same folds of at most %s rows\n",
		show.Thousands(measuredRows))
	for _, m := range p.Measured {
		show.Wrapped(w, "  ", m.String())
	}
}
