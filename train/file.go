package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/atomicfile"
	"github.com/drotrain/drotrain/internal/jsonshape"
	"github.com/drotrain/drotrain/losses"
)

// maxModel is the maximum size in bytes of a model file; a model with 10⁶ columns takes about 400 MB.
const maxModel = 1 << 30

// Save writes the model to path atomically. It returns an error if the file exists, unless force is set.
func (m *Model) Save(path string, force bool) error {
	return atomicfile.Write(path, force, func(w io.Writer) error { _, err := m.WriteTo(w); return err })
}

// WriteTo writes the model as one JSON document. It implements io.WriterTo.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(b, '\n'))
	return int64(n), err
}

// Load reads a model written by Save. It returns an error that names the file if it is not a model, if its schema
// is unknown, or if its parts contradict each other. Fields that a newer version has added are ignored and listed
// in Model.Warnings.
func Load(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := ReadModel(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// ReadModel works like Load for a reader, such as a file of an embed.FS.
func ReadModel(r io.Reader) (*Model, error) {
	if r == nil {
		return nil, errors.New("train: the reader is nil")
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxModel+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxModel {
		return nil, fmt.Errorf("not a model: the file has more than %d bytes", maxModel)
	}
	m := &Model{}
	if err := m.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	return m, nil
}

// UnmarshalJSON implements json.Unmarshaler with the checks of ReadModel, for models contained in other documents.
func (m *Model) UnmarshalJSON(raw []byte) error {
	var head struct {
		Schema *int `json:"schema"`
		Config struct {
			Latent     any    `json:"latent"`
			Prior      string `json:"adversary_prior"`
			Among      string `json:"adversary_groups"`
			Confidence any    `json:"confidence"`
		} `json:"config"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return fmt.Errorf("not a model: %w", err)
	}
	if head.Schema == nil {
		return errors.New("not a model: the file has no schema version")
	}
	if *head.Schema != schema {
		return fmt.Errorf("the model has schema %d, but this version reads schema %d", *head.Schema, schema)
	}
	for option, set := range map[string]bool{"latent": head.Config.Latent != nil,
		"adversary_prior": head.Config.Prior == "equal", "adversary_groups": head.Config.Among == "each",
		"confidence": head.Config.Confidence != nil} {
		if set {
			return fmt.Errorf("the model was trained with the option %s, which this version does not support: train it "+
				"again with another robustness option, or use drotrain %s", option, head.Version)
		}
	}
	type fields Model // a type without this method
	var read fields
	unknown, err := jsonshape.Check(raw, read)
	if err != nil {
		return fmt.Errorf("not a model: %w", err)
	}
	if err := json.Unmarshal(raw, &read); err != nil {
		return fmt.Errorf("not a model: %w", err)
	}
	out := Model(read)
	if err := out.validate(); err != nil {
		return fmt.Errorf("the model is damaged: %w", err)
	}
	unknown = slices.DeleteFunc(unknown, func(key string) bool { return key == estimatorKey || isRetiredKey(key) })
	const listed = 5
	for i, key := range unknown {
		if more := len(unknown) - i; i == listed && more > 1 {
			out.Warnings = append(out.Warnings, fmt.Sprintf("the model has %d more such fields", more))
			break
		}
		out.Warnings = append(out.Warnings, fmt.Sprintf(
			"the model has the field %q, which this version does not know and ignores: the model was written by drotrain "+
				"%s", key, out.Version))
	}
	*m = out
	return nil
}

// estimatorKey is the key under which the Python package stores the parameters of its estimator in a model file.
const estimatorKey = "estimator"

// isRetiredKey reports whether a key was written by older versions and is not needed for predictions.
func isRetiredKey(key string) bool {
	return key == "config.adversary_prior" || key == "config.adversary_groups" || key == "config.levels" ||
		key == "config.rule" || strings.HasPrefix(key, "result.selection.") &&
		!strings.HasPrefix(key, "result.selection.candidates[].")
}

// validate returns an error if parts of a model that has been read are missing or inconsistent. It also prepares
// the model for predictions.
func (m *Model) validate() error {
	if m.Encoder == nil {
		return errors.New("its encoder is missing")
	}
	if err := m.Encoder.Validate(); err != nil {
		return err
	}
	d := m.Encoder.D()
	for _, x := range []struct {
		what   string
		values []float64
		absent bool // allowed
	}{
		{"coefficients", m.Coefficients, false},
		{"erm_coefficients", m.Baseline, true},
		{"group_weighted_coefficients", m.GroupWeighted, true},
		{"tempered_coefficients", m.Tempered, true},
		{"recalibrated_coefficients", m.Recalibrated, true},
	} {
		if len(x.values) != d*m.coefficientsPerColumn() && !(x.absent && x.values == nil) {
			return fmt.Errorf("it has %d %s for %d encoded columns", len(x.values), x.what, d)
		}
	}
	for k, x := range m.Averaged {
		if len(x) != len(m.Coefficients) {
			return fmt.Errorf("averaged model %d has %d coefficients for %d encoded columns", k+1, len(x), d)
		}
	}
	c := m.Config
	c.keepsClasses = m.Result.Recalibration != nil && m.Result.Recalibration.KeepsClasses
	// these only matter in training, and a newer version may have values unknown here
	c.Solver, c.Storage = autoSolver, "auto"
	if name, _, _ := strings.Cut(c.Loss, ":"); name != "" && !slices.Contains(losses.Names(nil), name) {
		m.unregistered = c.Loss
		// replaces the unregistered loss in the checks
		c.Loss = losses.DefaultName(m.Encoder.Target.Task != encode.Regression)
	}
	if err := c.validate(); err != nil {
		return err
	}
	if m.unregistered == "" {
		link := m.Link
		if err := m.setLoss(); err != nil {
			return err
		}
		if link != "" && link != m.Link {
			return fmt.Errorf("its link is %q, but its loss %s has the link %q", link, c.Loss, m.Link)
		}
	}
	if err := c.checkTask(m.Encoder.Target.Task); err != nil {
		return err
	}
	c.Loss = m.Config.Loss
	s := &m.Result
	switch {
	case c.Target != m.Encoder.Target.Name:
		return fmt.Errorf("its target is %q, but its encoder has the target %q", c.Target, m.Encoder.Target.Name)
	case c.Mu == nil:
		return errors.New("mu is missing")
	case s.Status == "":
		return errors.New("its result has no status")
	case s.N <= 0:
		return fmt.Errorf("its result has %d rows; there must be at least one", s.N)
	case s.D != d:
		return fmt.Errorf("its result has %d columns, but its encoder has %d", s.D, d)
	case c.Recalibrate != (m.Recalibrated != nil):
		return errors.New("its recalibrated_coefficients do not agree with the setting recalibrate")
	case !c.Level.IsSet():
		return errors.New("its robustness setting is missing")
	case s.Loss != c.Loss || s.Mu != *c.Mu || s.Penalty != "" && s.Penalty != c.Penalty ||
		s.Penalty != "" && c.Nu != nil && s.Nu != *c.Nu:
		return errors.New("its result belongs to a different configuration")
	case (s.ERM == nil) != (m.Baseline == nil) || (s.GroupWeighted == nil) != (m.GroupWeighted == nil):
		return errors.New("its result and its coefficients have different baselines")
	case s.ClassConstant != nil && len(s.ClassConstant) != len(m.Classes()):
		return fmt.Errorf("its constant has %d classes instead of %d", len(s.ClassConstant), len(m.Classes()))
	case s.Selection != nil && (s.Selection.Chosen < 0 || s.Selection.Chosen >= len(s.Selection.Candidates)):
		return errors.New("its selection chose a candidate that does not exist")
	case m.TrainRows != s.N:
		return fmt.Errorf("it has %d training rows, but its result has %d", m.TrainRows, s.N)
	case m.HoldoutRows < 0:
		return fmt.Errorf("it has %d hold-out rows; the number must not be negative", m.HoldoutRows)
	}
	return nil
}
