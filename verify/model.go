package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
)

// schema is the version of the model file format that this package reads.
const schema = 1

// A Model holds the parts of a model file that concern the objective, the optimum and the rows.
type Model struct {
	Schema       int             `json:"schema"`
	Config       config          `json:"config"`
	Encoder      *encode.Encoder `json:"encoder"`
	Coefficients []float64       `json:"coefficients"`
	Averaged     [][]float64     `json:"averaged_coefficients"` // Coefficients are the mean of these
	Result       struct {
		Status      string `json:"status"`
		Certified   bool   `json:"certified"`
		Certificate struct {
			Upper *float64 `json:"upper"`
			Lower *float64 `json:"lower"`
		} `json:"certificate"`
	} `json:"result"`
	Sources    []data.Source `json:"sources"`
	RowsGiven  bool          `json:"rows_given"`
	TrainRows  int           `json:"train_rows"`
	unknown    []string      // settings with a value that are unknown to this package
	identifier string        // see Identifier
}

// A config holds the settings that determine the objective and the rows.
type config struct {
	Reading data.Reading `json:"reading"`
	Storage string       `json:"storage"`

	Loss       string  `json:"loss"`
	HuberDelta float64 `json:"huber_delta"`
	Mu         float64 `json:"mu"`
	Intercept  bool    `json:"intercept"`
	Gap        float64 `json:"gap"`
	Weight     string  `json:"weight"`
	Exposure   string  `json:"exposure"` // the encoder divides the target by it

	Average   string   `json:"average"`
	Nu        *float64 `json:"nu"`
	Ess       *float64 `json:"ess"`
	Protect   *float64 `json:"protect"`
	Radius    *float64 `json:"radius"`
	Spectral  string   `json:"spectral"`
	Distance  *float64 `json:"wasserstein"` // radius of a Wasserstein ball
	Penalty   string   `json:"penalty"`
	Adversary string   `json:"adversary"`
	Adjust    float64  `json:"group_adjust"`

	Filter       string  `json:"filter"`
	Holdout      float64 `json:"holdout"`
	Seed         uint64  `json:"seed"`
	HoldoutData  string  `json:"holdout_data"`
	Split        string  `json:"split"`
	GroupHoldout string  `json:"group_holdout"`
	Time         string  `json:"time"`

	ValidationData  string `json:"validation_data"`
	ValidationSplit string `json:"validation_split"`
}

// irrelevant lists settings that affect neither the objective nor the training rows, or that the encoder contains.
var irrelevant = strings.Fields(`
	data target features drop groups group_features group_coefficients max_levels min_count reference target_transform
	log square spline interact categorical positive impute scale scale_target
	select choice rate budget folds rule levels learning_curve recalibrate solver max_passes evaluate threshold
	min_group_size favourable reference_group`)

// ReadModel reads a model file. A setting unknown to this package is not an error, but Check rejects the model.
func ReadModel(raw []byte) (*Model, error) {
	m := &Model{}
	if err := json.Unmarshal(raw, m); err != nil {
		return nil, fmt.Errorf("not a model: %w", err)
	}
	switch {
	case m.Schema != schema:
		return nil, fmt.Errorf("the file is not a model of schema %d", schema)
	case m.Encoder == nil:
		return nil, errors.New("the model is damaged: its encoder is missing")
	}
	if err := m.Encoder.Validate(); err != nil {
		return nil, fmt.Errorf("the model is damaged: %w", err)
	}
	if want := m.Encoder.D() * m.Encoder.Target.Outputs(); len(m.Coefficients) != want {
		return nil, fmt.Errorf("the model is damaged: it has %d coefficients instead of %d", len(m.Coefficients), want)
	}
	numbers := append(slices.Clone(m.Coefficients), m.Config.Mu, m.Config.Gap, m.Config.HuberDelta, m.Config.Adjust)
	for k, x := range m.Averaged {
		if numbers = append(numbers, x...); len(x) != len(m.Coefficients) {
			return nil, fmt.Errorf("the model is damaged: averaged model %d has %d coefficients instead of %d", k+1, len(x),
				len(m.Coefficients))
		}
	}
	for _, v := range numbers {
		if v-v != 0 {
			return nil, errors.New("the model is damaged: some of its numbers are not finite")
		}
	}
	var settings struct {
		Config map[string]json.RawMessage `json:"config"`
	}
	if err := json.Unmarshal(raw, &settings); err != nil {
		return nil, fmt.Errorf("not a model: %w", err)
	}
	known := slices.Clone(irrelevant)
	for f := range reflect.TypeFor[config]().NumField() {
		known = append(known, reflect.TypeFor[config]().Field(f).Tag.Get("json"))
	}
	unset := []string{"null", "false", "0", `""`, "[]", "{}"}
	for _, name := range slices.Sorted(maps.Keys(settings.Config)) {
		if !slices.Contains(known, name) && !slices.Contains(unset, string(settings.Config[name])) {
			m.unknown = append(m.unknown, name)
		}
	}
	sum := sha256.Sum256(raw)
	m.identifier = hex.EncodeToString(sum[:])
	return m, nil
}

// Identifier returns the SHA-256 of the model file in hexadecimal.
func (m *Model) Identifier() string { return m.identifier }

// Reading returns the options for reading the training table.
func (m *Model) Reading() data.Reading { return m.Encoder.Contract(m.Config.Reading) }

// holdout returns which rows of the training table were held out. Hold-out or validation rows in separate tables
// are not read.
func (c *config) holdout() data.Holdout {
	h := data.Holdout{Filter: c.Filter, ValidationSplit: c.ValidationSplit}
	if c.HoldoutData == "" {
		h.Fraction, h.Seed, h.Split, h.Group, h.Time = c.Holdout, c.Seed, c.Split, c.GroupHoldout, c.Time
	}
	return h
}

// nameSources returns a name for the contents of files: their SHA-256 in hexadecimal or, for several files, the
// SHA-256 of their hashes, one per line.
func nameSources(sources []data.Source) string {
	if len(sources) == 1 {
		return sources[0].SHA256
	}
	sum := sha256.New()
	for _, s := range sources {
		fmt.Fprintln(sum, s.SHA256)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Supported returns nil if the objective of the model can be checked, and an error with the reason otherwise.
func (m *Model) Supported() error {
	c := &m.Config
	switch {
	case len(m.unknown) > 0:
		return fmt.Errorf("the model was trained with %s, which verify does not support", strings.Join(m.unknown, ", "))
	case !(c.Mu >= 0):
		return fmt.Errorf("the model has mu = %v; it must be ≥ 0", c.Mu)
	case !(c.Gap > 0):
		return fmt.Errorf("the model states the gap %v; it must be > 0", c.Gap)
	}
	of, err := newLoss(c, m.Encoder.Target.Outputs())
	if err != nil {
		return err
	}
	norm, err := newNorm(c, of)
	if err != nil {
		return err
	}
	if d := m.Encoder.D(); norm.isZero() && d > MaxFreeColumns {
		return fmt.Errorf("with mu = 0 verify supports up to %d encoded columns, but the model has %d: train with mu > 0",
			MaxFreeColumns, d)
	}
	if _, known := averages[c.Average]; !known {
		return fmt.Errorf("verify does not support the average %q", c.Average)
	}
	if c.Adversary != "" && c.Adversary != "rows" && c.Adversary != "groups" {
		return fmt.Errorf("verify does not support the adversary %q", c.Adversary)
	}
	if _, err = newSet(c, &reference{}); err != nil || !c.isMean() {
		return err
	}
	switch {
	case c.Average == validationSubsets && c.ValidationData != "":
		return errors.New("verify reads a single table, but the averaged models were trained on validation rows in a " +
			"different table: put the validation rows into the same table, and mark them with --validation split:COLUMN")
	case m.RowsGiven:
		return errors.New("verify cannot check balanced subsets if a program chose the training rows")
	}
	return nil
}
