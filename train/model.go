package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/atomicfile"
	"github.com/drotrain/drotrain/losses"
)

// schema is the version of the model file that this package writes and reads.
const schema = 1

// A Model is a trained linear model: what it needs to predict, what was
// optimised, and what is proved about it. It is one JSON document.
type Model struct {
	Schema  int    `json:"schema"`
	Version string `json:"version"` // of drotrain

	Config  Config        `json:"config"`  // in force: nothing left to be chosen
	Encoder *data.Encoder `json:"encoder"` // columns, levels, shifts and scales

	Coefficients  []float64 `json:"coefficients"`                          // D, of the encoded columns
	Baseline      []float64 `json:"erm_coefficients"`                      // D, of the plain average on the same rows
	GroupWeighted []float64 `json:"group_weighted_coefficients,omitempty"` // D, of the average with equal group weights; nil with fewer than two groups

	Result Summary      `json:"result"`
	Trace  []TracePoint `json:"trace"`
	Notes  []string     `json:"notes"`

	Sources     []data.Source `json:"sources"` // files, with their SHA-256
	TrainRows   int           `json:"train_rows"`
	HoldoutRows int           `json:"holdout_rows"`

	Run *Run `json:"-"` // nil in a model that was loaded; see Rerun

	loss losses.Loss
}

// A TracePoint is what was known at a check point of the robust training; nil
// bounds were not known.
type TracePoint struct {
	Passes  float64  `json:"passes"`
	Seconds float64  `json:"seconds"`
	Upper   *float64 `json:"upper"`
	Lower   *float64 `json:"lower"`
}

// Summary returns the outcome for machines; path is where the model was
// written, or "".
func (m *Model) Summary(path string) Summary {
	s := m.Result
	s.Model, s.Notes = path, m.Notes
	return s
}

func (m *Model) note(notes ...string) {
	for _, n := range notes {
		if n != "" {
			m.Notes = append(m.Notes, n)
		}
	}
}

// Loss returns the training loss.
func (m *Model) Loss() losses.Loss { return m.loss }

// Save writes the model to path, whole or not at all. An existing file is an
// error unless force is set.
func (m *Model) Save(path string, force bool) error {
	return atomicfile.AtomicWrite(path, force, m.encode)
}

func (m *Model) encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(m)
}

// Load reads a model that Save wrote. A file of another kind, or of a schema
// this version does not know, is an error.
func Load(path string) (*Model, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func decode(raw []byte) (*Model, error) {
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("not a model: %w", err)
	}
	if head.Schema == nil {
		return nil, errors.New("not a model: it has no schema version")
	}
	if *head.Schema != schema {
		return nil, fmt.Errorf("a model of schema %d: this version reads schema %d", *head.Schema, schema)
	}
	m := &Model{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("not a model: %w", err)
	}
	if m.Encoder == nil || m.Encoder.D() != len(m.Coefficients) || len(m.Baseline) != len(m.Coefficients) ||
		(m.GroupWeighted != nil && len(m.GroupWeighted) != len(m.Coefficients)) {
		return nil, errors.New("a damaged model: coefficients and columns do not match")
	}
	var err error
	if m.loss, err = losses.Parse(m.Config.Loss, m.Config.HuberDelta); err != nil {
		return nil, fmt.Errorf("a damaged model: %w", err)
	}
	if m.Config.Mu == nil {
		return nil, errors.New("a damaged model: mu is missing")
	}
	return m, nil
}

// Version returns the version of the module, "(devel)" in a checkout.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
