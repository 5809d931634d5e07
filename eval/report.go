package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/dro/divergence"
	"github.com/drotrain/drotrain/internal/jsonshape"
	"github.com/drotrain/drotrain/internal/printable"
)

// ReportSchema is the name of the JSON layout of [Report].
const ReportSchema = "drotrain.report/1"

// A Report holds everything that the page shows. Only Evaluation is required. Its methods panic if ReadReport would
// reject the report, for example because it has no evaluation.
type Report struct {
	Schema    string    `json:"schema"`
	Title     string    `json:"title"`
	Subtitle  string    `json:"subtitle,omitempty"` // what was trained, and on which rows it was evaluated
	Trained   time.Time `json:"trained,omitzero"`   // time at which the model was trained, in UTC
	Objective Objective `json:"objective"`
	// facts about the data and the run, in order: rows, columns, SHA-256, seed, version
	Facts       []Fact       `json:"facts"`
	Certificate *Certificate `json:"certificate,omitempty"`
	Evaluation  *Evaluation  `json:"evaluation"`
	// choice of the robustness, if it was chosen from the data
	Choice       *Choice       `json:"choice,omitempty"`
	Adversary    *Adversary    `json:"adversary,omitempty"`
	Coefficients *Coefficients `json:"coefficients,omitempty"`
	// coefficients of groups that have their own; not included in Coefficients
	GroupCoefficients *GroupCoefficients `json:"group_coefficients,omitempty"`
	// notes of the training run about the solver, unseen levels, imputation, …
	Notes []string `json:"notes"`
	// entries of the model card: owner, intended use, date, data period, …
	Card    []Fact `json:"card,omitempty"`
	Command string `json:"command"` // command that reproduces the run
}

// An Objective describes what was minimised. If Text is empty, the description is composed from the other fields.
type Objective struct {
	Text      string                `json:"text"`
	Loss      string                `json:"loss"`
	LossAbout string                `json:"loss_about,omitempty"` // the loss in words, as in "half the squared error"
	Penalty   divergence.Divergence `json:"penalty"`              // "" if there is no robust model
	Nu        float64               `json:"nu"`
	Mu        float64               `json:"mu"`
	N         int                   `json:"training_rows"`
	// Selection states how ν and μ were chosen for each model: "given", "5-fold cross-validation, smallest
	// worst-group risk", ….
	Selection string `json:"selection,omitempty"`
	// SelectedAlike reports whether the baseline and the robust model were selected by the same rule.
	SelectedAlike bool `json:"selected_alike"`
}

// MarshalJSON encodes an infinite ν (no robustness) and an undefined μ as null.
func (o Objective) MarshalJSON() ([]byte, error) {
	type plain Objective
	return json.Marshal(struct {
		plain
		Nu Num `json:"nu"`
		Mu Num `json:"mu"`
	}{plain(o), Num(o.Nu), Num(o.Mu)})
}

// UnmarshalJSON decodes what MarshalJSON encoded; a null ν is infinite.
func (o *Objective) UnmarshalJSON(b []byte) error {
	type plain Objective
	j := struct {
		*plain
		Nu Num `json:"nu"`
		Mu Num `json:"mu"`
	}{plain: (*plain)(o)}
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	o.Nu, o.Mu = float64(j.Nu), float64(j.Mu)
	if !j.Nu.Defined() {
		o.Nu = math.Inf(1)
	}
	return nil
}

// A Fact is a line in a list of facts.
type Fact struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A Certificate bounds the suboptimality of the robust objective, in units of the loss.
type Certificate struct {
	Upper       Num     `json:"upper"`
	Lower       Num     `json:"lower"`
	Gap         Num     `json:"gap"`
	RelativeGap Num     `json:"relative_gap"`
	Target      Num     `json:"relative_gap_asked_for"`
	Certified   bool    `json:"certified"`
	Passes      float64 `json:"passes"`
	Seconds     float64 `json:"seconds"`
	Solver      string  `json:"solver"`
	Status      string  `json:"status"`
}

// Coefficients holds the coefficients of all models by column.
type Coefficients struct {
	Models []string `json:"models"`
	Unit   string   `json:"unit"` // unit of Original: "log-odds per unit", "USD per unit"
	Scaled string   `json:"scaled_unit"`
	// Step is the change of a column to which the scaled coefficients refer: "unit" or LargestAbsoluteValue; empty means
	// "standard deviation". A row may have its own step.
	Step string        `json:"step,omitempty"`
	Rows []Coefficient `json:"rows"`
}

// hasOwnSteps reports whether a row has a step of its own, as entries of sparse vectors have among standardised columns.
func (c *Coefficients) hasOwnSteps() bool {
	return slices.ContainsFunc(c.Rows, func(q Coefficient) bool { return q.Step != "" && q.Step != c.Step })
}

// StepName names the change of a column to which the scaled coefficients refer, as in "one standard deviation". It
// returns "one step" if the changes differ between rows; AboutSteps then names them.
func (c *Coefficients) StepName() string {
	switch {
	case c.hasOwnSteps():
		return "one step"
	case c.Step == LargestAbsoluteValue:
		return "the " + c.Step
	}
	return "one " + cmp.Or(c.Step, standardDeviation)
}

// PerStep returns what follows a scaled coefficient, as in "per standard deviation", or "per step" if the steps differ
// between rows.
func (c *Coefficients) PerStep() string {
	switch {
	case c.hasOwnSteps():
		return "per step"
	case c.Step == LargestAbsoluteValue:
		return "times the " + c.Step
	}
	return "per " + cmp.Or(c.Step, standardDeviation)
}

// AboutSteps returns a sentence that names the steps, preceded by a space, or "" if all rows have the same step.
func (c *Coefficients) AboutSteps() string {
	if !c.hasOwnSteps() {
		return ""
	}
	return " A step is " + (&Coefficients{Step: c.Step}).StepName() + " or, for entries of sparse vectors, the " +
		LargestAbsoluteValue + "."
}

// standardDeviation is the step of coefficients of standardised columns.
const standardDeviation = "standard deviation"

// LargestAbsoluteValue is the step of coefficients of columns that were divided by their largest absolute values.
const LargestAbsoluteValue = "largest absolute value"

// A Coefficient holds the coefficients of a column, in the order of Models.
type Coefficient struct {
	Name     string `json:"name"`
	Original []Num  `json:"original"`
	Scaled   []Num  `json:"scaled,omitempty"` // coefficients for one step of the column
	Step     string `json:"step,omitempty"`   // step of this column if it differs from Coefficients.Step
}

// ObjectiveText describes the objective in one line.
func (o Objective) ObjectiveText() string {
	if o.Text != "" {
		return o.Text
	}
	reg := fmt.Sprintf("(%s/2)‖x‖²", printable.Setting(o.Mu))
	switch {
	case o.Penalty != "" && o.Nu == 0:
		return fmt.Sprintf("minimise over x:  max over j of ℓⱼ(x)  +  %s", reg)
	case math.IsInf(o.Nu, 1): // the mean, below
	case o.Penalty != "":
		return fmt.Sprintf("minimise over x:  max over y of  Σ yⱼ ℓⱼ(x) − %s · %s  +  %s", printable.Setting(o.Nu),
			o.Penalty.EqualFormula(), reg)
	}
	return fmt.Sprintf("minimise over x:  mean of ℓⱼ(x)  +  %s", reg)
}

// Normalisation explains how ν is scaled and how other packages parametrise it.
func (o Objective) Normalisation() []string {
	switch {
	case o.Text != "" && o.Nu == 0: // a set of weights without a penalty
		return nil
	case o.Penalty != "" && o.Nu == 0:
		return []string{"ν = 0: no penalty. The robust risk is the largest loss, and the worst-case weights need not be " +
			"unique."}
	case o.Penalty != "" && math.IsInf(o.Nu, 1):
		return []string{"ν = ∞: every row weighs the same; this is plain empirical risk minimisation."}
	case o.Penalty != "":
		return o.Penalty.Explain(o.Nu, o.N)
	}
	return nil
}

// Check returns an error if the report lacks something that its presentation requires.
func (r *Report) Check() error {
	if r == nil || r.Evaluation == nil {
		return fmt.Errorf("eval: a report needs an evaluation")
	}
	return r.Evaluation.validate()
}

// WriteJSON writes the report as indented JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	if err := r.Check(); err != nil {
		return err
	}
	c := *r
	c.Schema, c.Evaluation = ReportSchema, r.Evaluation.shorten()
	if o := r.Objective; o.Penalty != "" || o.Mu > 0 {
		c.Objective.Text = o.ObjectiveText()
	}
	if c.Notes == nil {
		c.Notes = []string{}
	}
	if c.Facts == nil {
		c.Facts = []Fact{}
	}
	return writeIndented(w, &c)
}

// ReadReport reads what [Report.WriteJSON] wrote. It returns an error for an unknown schema.
func ReadReport(r io.Reader) (*Report, error) {
	var out Report
	if err := decode(r, &out); err != nil {
		return nil, fmt.Errorf("eval: report: %w", err)
	}
	if out.Schema != ReportSchema {
		return nil, fmt.Errorf("eval: report has schema %q; this version reads %q", out.Schema, ReportSchema)
	}
	if err := out.Check(); err != nil {
		return nil, err
	}
	return &out, nil
}

// ReadEvaluation reads what [Evaluation.WriteJSON] wrote.
func ReadEvaluation(r io.Reader) (*Evaluation, error) {
	var out Evaluation
	if err := decode(r, &out); err != nil {
		return nil, fmt.Errorf("eval: metrics: %w", err)
	}
	if out.Schema != Schema {
		return nil, fmt.Errorf("eval: metrics have schema %q; this version reads %q", out.Schema, Schema)
	}
	if err := out.validate(); err != nil {
		return nil, err
	}
	return &out, nil
}

// decode decodes a JSON document into v. Unknown keys are ignored, since a newer version may have written them;
// repeated keys are an error.
func decode(r io.Reader, v any) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if _, err := jsonshape.Check(raw, v); err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// MostCoefficients is the number of coefficients shown first.
const MostCoefficients = 20

// Largest returns the first count coefficients in descending order of the effect of one step of their
// column in a model, with the intercept last. If Models lacks the model, the order is by the largest effect in any
// model. Equal effects are in the order of Rows.
func (c *Coefficients) Largest(model string, count int) []Coefficient {
	k := slices.Index(c.Models, model)
	size := func(q *Coefficient) float64 {
		if k < 0 || k >= len(q.Scaled) || !q.Scaled[k].Defined() {
			return q.Size()
		}
		return math.Abs(float64(q.Scaled[k]))
	}
	constant := func(q *Coefficient) int {
		if IsIntercept(q.Name) {
			return 1
		}
		return 0
	}
	first := indicesOfFirst(len(c.Rows), count, func(i, j int) int {
		a, b := &c.Rows[i], &c.Rows[j]
		return cmp.Or(cmp.Compare(constant(a), constant(b)), cmp.Compare(size(b), size(a)))
	})
	out := make([]Coefficient, len(first))
	for k, i := range first {
		out[k] = c.Rows[i]
	}
	return out
}

// CountIntercepts returns the number of rows that are intercepts.
func (c *Coefficients) CountIntercepts() (n int) {
	for i := range c.Rows {
		if IsIntercept(c.Rows[i].Name) {
			n++
		}
	}
	return n
}

// IsIntercept reports whether a coefficient of this name is an intercept, in models of this or an earlier version.
func IsIntercept(name string) bool { return name == "(intercept)" || name == "(constant)" }

// Size returns the largest effect, over the models, of one step of the column.
func (q Coefficient) Size() float64 {
	m := 0.0
	for _, v := range q.Scaled {
		if v.Defined() {
			m = math.Max(m, math.Abs(float64(v)))
		}
	}
	return m
}

// A Choice describes how the robustness was chosen: the models that were tried and their out-of-fold
// estimates.
type Choice struct {
	Criterion  string      `json:"criterion"` // quantity to be minimised, such as "worst group’s risk"
	Reason     string      `json:"reason"`
	Chosen     int         `json:"chosen"` // index
	Candidates []Candidate `json:"candidates"`
	// number of validation rows on which the estimates were computed; 0 means cross-validation
	Validation int `json:"validation,omitempty"`
	// number of standard errors by which the criterion must decrease for a candidate to replace the first one
	Errors float64 `json:"standard_errors,omitempty"`
	// whether the criterion is an error rate, so that Average, Value, Improvement and SE are error rates too
	IsByAccuracy bool `json:"by_accuracy,omitempty"`
}

// A Candidate is one of the models that were tried; the first is ERM. Risks are mean losses.
type Candidate struct {
	Family  string `json:"family"` // candidates of one kind, ordered from mild to strong
	Name    string `json:"name"`
	Mu      Num    `json:"mu"`
	Average Num    `json:"average"`
	Value   Num    `json:"value"` // the value that was to decrease
	// decrease of the value relative to the first candidate, computed from paired rows, and its standard error
	Improvement Num `json:"improvement"`
	SE          Num `json:"se"`
	CostSE      Num `json:"cost_se"` // standard error of the change of Average
	// may replace the first candidate, since the criterion decreases enough, within the budget
	Allowed bool `json:"allowed"`
}

// AverageName returns the name of Candidate.Average: the average error rate if the criterion is an error rate, the RMSE
// in a report in units of the target, and the average risk otherwise.
func (c *Choice) AverageName() string {
	switch {
	case strings.Contains(c.Criterion, squaredError):
		return "RMSE over all rows"
	case strings.Contains(c.Criterion, "error rate"):
		return "average error rate"
	}
	return "average risk"
}

// Best returns the chosen candidate, or nil if the choice is inconsistent.
func (c *Choice) Best() *Candidate {
	if c.Chosen < 0 || c.Chosen >= len(c.Candidates) {
		return nil
	}
	return &c.Candidates[c.Chosen]
}
