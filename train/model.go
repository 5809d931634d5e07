package train

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/score"
)

// schema is the version of the model file that this package writes.
const schema = score.Schema

// A Model is a trained linear model with its encoder, what was optimised and the certificate. It is stored as
// one JSON document.
type Model struct {
	Schema  int    `json:"schema"`
	Version string `json:"version"` // of drotrain

	// Trained is the start of the training in UTC, to the second; zero in a file of a version that
	// did not write it. The environment variable SOURCE_DATE_EPOCH, seconds since 1970, takes its place.
	Trained time.Time `json:"trained,omitzero"`

	Config  Config          `json:"config"`  // in force: nothing left to be chosen
	Encoder *encode.Encoder `json:"encoder"` // columns, levels, shifts and scales

	Coefficients []float64 `json:"coefficients"`     // D, of the encoded columns
	Baseline     []float64 `json:"erm_coefficients"` // D, of the plain average on the same rows
	// D, of the average with equal group weights; nil with fewer than two groups
	GroupWeighted []float64 `json:"group_weighted_coefficients,omitempty"`
	// D, of the plain average with another slope and intercept; nil where the model is the plain average
	Tempered []float64 `json:"tempered_coefficients,omitempty"`

	// Recalibrated are Coefficients with another slope and intercept, fitted out of fold
	// (Config.Recalibrate): what the model predicts with. The certificate is about
	// Coefficients. D; nil where nothing was recalibrated.
	Recalibrated []float64 `json:"recalibrated_coefficients,omitempty"`

	// Averaged are the coefficients of the models whose mean is Coefficients; nil for a model that is no mean.
	Averaged [][]float64 `json:"averaged_coefficients,omitempty"`

	// Link is the name of the link of the loss, for programs that do not know the loss; empty: the margin is the
	// prediction, or of two classes its log-odds.
	Link string `json:"link,omitempty"`

	Result Summary      `json:"result"`
	Trace  []TracePoint `json:"trace"`
	Notes  []string     `json:"notes"`

	// Findings are about the columns of the training rows; the warnings among them are Notes too.
	Findings []check.Finding `json:"findings,omitempty"`

	Sources     []data.Source `json:"sources"`              // files, with their SHA-256
	RowsGiven   bool          `json:"rows_given,omitempty"` // a program chose the rows: the table does not determine them
	TrainRows   int           `json:"train_rows"`
	HoldoutRows int           `json:"holdout_rows"`
	Periods     *Periods      `json:"periods,omitempty"` // of a hold-out by time

	// Reference holds the numbers of the evaluation after the training, as eval.ReadReference reads
	// them: what later evaluations are compared with. Empty where nothing was measured.
	Reference json.RawMessage `json:"reference,omitempty"`

	Run *Run `json:"-"` // nil without Config.KeepRows and in a model that was loaded; see Rerun

	// Warnings are about the file that the model was read from: what a newer
	// version wrote and this one ignores.
	Warnings []string `json:"-"`

	loss         losses.Loss
	unregistered string    // the name of the loss if this program does not know it; empty otherwise
	muGiven      bool      // μ was set, not left to the rows
	mustChoose   bool      // rows too few for a choice are an error
	from         []float64 // where the solvers begin; nil: the constant alone
}

// A TracePoint is a check during the robust training. Bounds are nil if they were not known.
type TracePoint struct {
	Passes  float64  `json:"passes"`
	Seconds float64  `json:"seconds"`
	Upper   *float64 `json:"upper"`
	Lower   *float64 `json:"lower"`
}

// Summary returns the outcome in machine-readable form. path is where the model was written, or "".
func (m *Model) Summary(path string) Summary {
	s := m.Result
	s.Model, s.Notes = path, m.Notes
	return s
}

func (m *Model) addNotes(notes ...string) {
	for _, n := range notes {
		if n != "" {
			m.Notes = append(m.Notes, n)
		}
	}
}

// Reading returns how other tables are read for the model: every column as it was read in training.
func (m *Model) Reading() data.Reading {
	if m.Encoder == nil {
		return m.Config.Reading
	}
	return m.Encoder.Contract(m.Config.Reading)
}

// Threshold returns the probability at or above which the positive class is predicted.
func (m *Model) Threshold() float64 {
	if m.Config.Threshold == nil {
		return 0.5
	}
	return *m.Config.Threshold
}

// Loss returns the training loss, or nil if the model was neither trained nor read, or was read by a program that
// does not know the loss.
func (m *Model) Loss() losses.Loss { return m.loss }

// UnregisteredLoss returns an error if this program does not know the loss of the model, or nil. Such a model can
// predict, but not be evaluated.
func (m *Model) UnregisteredLoss() error {
	if m.unregistered == "" {
		return nil
	}
	return &UnregisteredLossError{Loss: m.unregistered, Link: m.Link}
}

// An UnregisteredLossError says that a program does not know the loss that a model was trained with.
type UnregisteredLossError struct{ Loss, Link string }

// Error names the loss.
func (e *UnregisteredLossError) Error() string {
	msg := fmt.Sprintf("the model was trained with the loss %q, which this program does not know", e.Loss)
	if _, known := losses.LinkNamed(e.Link); !known {
		return msg + fmt.Sprintf(", nor its link %q", e.Link)
	}
	return msg + ": it can predict with the model, but not evaluate it"
}

// Hint says what to do.
func (e *UnregisteredLossError) Hint() string {
	return "in a program of your own, call losses.Register before the model is read"
}

// setLoss sets the loss and its link.
func (m *Model) setLoss() (err error) {
	if m.loss, err = losses.Parse(m.Config.Loss, m.Config.HuberDelta); err != nil {
		return err
	}
	if link := m.loss.Meaning().Link; link.Name != losses.Logit.Name {
		m.Link = link.Name
	}
	return nil
}

// trainingTime returns the time for Model.Trained: SOURCE_DATE_EPOCH if it is set, so that trainings are
// reproducible, else now.
func trainingTime() time.Time {
	if s, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(s, 0).UTC()
	}
	return time.Now().UTC().Truncate(time.Second)
}

// Version returns the version of the module, or "(devel)" in a checkout.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
