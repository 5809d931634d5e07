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

// schema is the version of the model file format that this package writes.
const schema = score.Schema

// A Model is a trained linear model with its encoder, a description of what was optimised, and the certificate. It
// is stored as one JSON document.
type Model struct {
	Schema  int    `json:"schema"`
	Version string `json:"version"` // version of drotrain

	// Trained is the time in UTC, to the second, at which the training started. It is zero in files of versions
	// that did not record it. If the environment variable SOURCE_DATE_EPOCH (seconds since 1970) is set,
	// Trained is that time instead.
	Trained time.Time `json:"trained,omitzero"`

	Config  Config          `json:"config"`  // settings in force, in which nothing remains to be chosen
	Encoder *encode.Encoder `json:"encoder"` // encoding with columns, levels, shifts and scales

	// Coefficients holds one coefficient for each encoded column or, for K > 2 classes, K for each column, column
	// by column. The other slices of coefficients have the same layout.
	Coefficients []float64 `json:"coefficients"`
	Baseline     []float64 `json:"erm_coefficients"` // ERM on the same rows; nil if Config.NoBaseline was set
	// ERM with the same total weight for every group; nil if there are fewer than two groups
	GroupWeighted []float64 `json:"group_weighted_coefficients,omitempty"`
	// ERM with a slope and an intercept fitted to the robust objective; nil if the model is itself ERM, or if
	// the target does not have two classes
	Tempered []float64 `json:"tempered_coefficients,omitempty"`

	// Recalibrated holds the coefficients that predictions use: Coefficients with a slope and an intercept that
	// were fitted out of fold or on validation rows (Config.Recalibrate). It is nil if the model was not
	// recalibrated. The certificate refers to Coefficients.
	Recalibrated []float64 `json:"recalibrated_coefficients,omitempty"`

	// Averaged holds the coefficients of the models whose mean is Coefficients; nil if the model is not a mean.
	Averaged [][]float64 `json:"averaged_coefficients,omitempty"`

	// Link is the name of the loss's link, for programs that do not know the loss. If it is empty, the margin
	// is the prediction or, for two classes, its log-odds.
	Link string `json:"link,omitempty"`

	Result Summary      `json:"result"`
	Trace  []TracePoint `json:"trace"`
	Notes  []string     `json:"notes"`

	// Findings describe problems of columns in the training rows; Notes repeats the warnings among them.
	Findings []check.Finding `json:"findings,omitempty"`

	Sources []data.Source `json:"sources"` // files with their SHA-256
	// a program chose the rows, so the table does not determine them
	RowsGiven   bool     `json:"rows_given,omitempty"`
	TrainRows   int      `json:"train_rows"`
	HoldoutRows int      `json:"holdout_rows"`
	Periods     *Periods `json:"periods,omitempty"` // periods of a hold-out by time

	// Reference holds the results of the evaluation after training, in the format that eval.ReadReference
	// reads. Later evaluations are compared with them. It is empty if there was no evaluation.
	Reference json.RawMessage `json:"reference,omitempty"`

	Run *Run `json:"-"` // nil if Config.KeepRows was not set or the model was loaded; see Rerun

	// Warnings concern the file from which the model was read: fields that a newer version wrote and this
	// version ignores.
	Warnings []string `json:"-"`

	loss         losses.Loss
	unregistered string    // name of the loss if this program does not know it; otherwise empty
	muGiven      bool      // μ was set and does not depend on the rows
	mustChoose   bool      // too few rows for a choice are an error
	from         []float64 // starting point of the solvers
}

// A TracePoint records a check during the robust training. Bounds are nil if they were unknown.
type TracePoint struct {
	Passes  float64  `json:"passes"`
	Seconds float64  `json:"seconds"`
	Upper   *float64 `json:"upper"`
	Lower   *float64 `json:"lower"`
}

// Summary returns the outcome as `drotrain train --json` prints it. path is the file to which the model was written, or
// "".
func (m *Model) Summary(path string) Summary {
	s := m.Result
	s.Model, s.Notes = path, m.Notes
	return s
}

// addNotes appends the notes that are not empty.
func (m *Model) addNotes(notes ...string) {
	for _, n := range notes {
		if n != "" {
			m.Notes = append(m.Notes, n)
		}
	}
}

// Reading returns options to read other tables for the model, with every column read as in training.
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

// Loss returns the training loss. It is nil if the model was neither trained nor read, or if this program does not
// know the loss.
func (m *Model) Loss() losses.Loss { return m.loss }

// UnregisteredLoss returns an error if this program does not know the loss of the model, and nil otherwise. A model
// with an unknown loss can predict but cannot be evaluated.
func (m *Model) UnregisteredLoss() error {
	if m.unregistered == "" {
		return nil
	}
	return &UnregisteredLossError{Loss: m.unregistered, Link: m.Link}
}

// An UnregisteredLossError reports that this program does not know the training loss of a model.
type UnregisteredLossError struct{ Loss, Link string }

// Error names the loss.
func (e *UnregisteredLossError) Error() string {
	msg := fmt.Sprintf("the model was trained with the loss %q, which this program does not know", e.Loss)
	if _, known := losses.LinkNamed(e.Link); !known {
		return msg + fmt.Sprintf(", nor the link %q of this loss", e.Link)
	}
	return msg + ": the program can predict with the model, but not evaluate the model"
}

// Hint says what to do.
func (e *UnregisteredLossError) Hint() string {
	return "in a program of your own, call losses.Register before the model is read"
}

// setLoss sets the loss that the configuration names, and its link.
func (m *Model) setLoss() (err error) {
	if m.loss, err = losses.Parse(m.Config.Loss, m.Config.HuberDelta); err != nil {
		return err
	}
	if link := m.loss.Meaning().Link; link.Name != losses.Logit.Name {
		m.Link = link.Name
	}
	return nil
}

// trainingTime returns the time for Model.Trained: SOURCE_DATE_EPOCH if it is set, so that training runs are
// reproducible, and the current time otherwise.
func trainingTime() time.Time {
	if s, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(s, 0).UTC()
	}
	return time.Now().UTC().Truncate(time.Second)
}

// Version returns the version of the module, or "(devel)" for a build from a checkout.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
