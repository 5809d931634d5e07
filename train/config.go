// Package train fits a certified robust model to a table: it reads and
// encodes the rows (packages data and encode), builds the per-sample losses (package
// losses), solves the saddle problem (package dro) and keeps the result as a
// Model that predicts, explains itself, saves and loads.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package train

import (
	"cmp"
	"encoding/json"
	"math"
	"time"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/ranks"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A Config says what to train on, what to optimise and when to stop. Words and numbers with zero values stand
// for their defaults, except Holdout, MinGroupSize and the bools, which are off; DefaultConfig sets these as
// the drotrain command does. Options gives the fields by the names of the command's options, and ReadConfig
// reads them from YAML.
type Config struct {
	Data     string       `json:"data"`             // path, glob or directory; or builtin:NAME
	Reading  data.Reading `json:"reading,omitzero"` // how text and dates are read
	Target   string       `json:"target"`           // target column
	Features []string     `json:"features"`         // feature columns; empty: every column without another role
	Drop     []string     `json:"drop"`             // columns to leave out
	Groups   []string     `json:"groups"`           // columns that name groups; crossed, and each on its own
	// the group columns are features, as categories, where Features is empty
	GroupFeatures bool `json:"group_features"`
	// GroupCoefficients says whether groups have coefficients of their own: no, pooled, or
	// auto (empty: no), which chooses by cross-validation inside the training rows.
	GroupCoefficients string `json:"group_coefficients,omitempty"`
	MaxLevels         int    `json:"max_levels,omitempty"` // of a categorical feature; 0: encode.DefaultMaxLevels
	// levels of fewer training rows are one, see encode.Spec
	MinCount        int      `json:"min_count,omitempty"`
	Reference       []string `json:"reference,omitempty"`        // column=level: levels whose coefficient is 0
	TargetTransform string   `json:"target_transform,omitempty"` // log or log1p: what is fitted of a numeric target
	// features whose logarithm is taken, see encode.Transforms
	Log      []string `json:"log,omitempty"`
	Square   []string `json:"square,omitempty"`   // features whose square is added as a feature
	Spline   []string `json:"spline,omitempty"`   // column:knots
	Interact []string `json:"interact,omitempty"` // column:column
	// the rows that are used, see data.Frame.Filter; empty: all
	Filter      string   `json:"filter,omitempty"`
	Categorical []string `json:"categorical"` // numeric columns to treat as categories
	// positive value of a binary target; empty: the rule stated in the notes
	Positive string `json:"positive"`
	// value of a two-valued target that is good for the person; reports use it
	Favourable     string `json:"favourable,omitempty"`
	ReferenceGroup string `json:"reference_group,omitempty"` // group with which reports compare favourable rates
	// error, mean, median or drop: what to do with missing numbers
	Impute      string `json:"impute"`
	Scale       string `json:"scale"` // standard, max or none: numeric features
	ScaleTarget bool   `json:"scale_target"`
	Intercept   bool   `json:"intercept"` // fit an unpenalised constant

	Storage string `json:"storage,omitempty"` // of the encoded rows: auto, float64, float32 or sparse; see design.Storage

	// a name of package losses, such as huber, poisson or quantile:0.9; empty: by the target
	Loss       string  `json:"loss"`
	HuberDelta float64 `json:"huber_delta"` // δ > 0, in the units of the (scaled) target

	// How robust: a level, or with none set what cross-validation inside the training
	// rows chooses, by Choice.
	level.Level
	Choice

	// Recalibrate fits another slope and intercept of the scores of a classification to
	// the plain average of out-of-fold predictions, and predicts with them.
	Recalibrate bool `json:"recalibrate,omitempty"`

	// column of row weights above 0: the reference distribution; empty: every row counts once
	Weight string `json:"weight,omitempty"`
	// Exposure is a column of numbers above 0 by which the counts of a loss with the link log are divided: what is
	// modelled is a rate, and every row counts in proportion to its exposure. So log(exposure) is a fixed part of
	// the margin of a count, and a row counts as any rows into which its exposure and its count are split.
	Exposure string `json:"exposure,omitempty"`

	Mu *float64 `json:"mu"` // μ ≥ 0; nil: 1/n

	// Regulariser is a regulariser of the caller's program; nil: the ridge penalty. It needs a level of robustness. The
	// baselines have the ridge penalty.
	Regulariser *Regulariser `json:"regulariser,omitempty"`

	Solver    string  `json:"solver"`     // one of solverNames()
	Gap       float64 `json:"gap"`        // relative gap to certify, > 0
	MaxPasses float64 `json:"max_passes"` // passes over the data that a solve may take, one at least; > 0
	Holdout   float64 `json:"holdout"`    // fraction of rows kept for evaluation, in [0, 1)
	// holdout, or crossfit: all rows are trained on, and measured by models trained without them; empty: holdout
	Evaluate string `json:"evaluate,omitempty"`
	Seed     uint64 `json:"seed"`

	// Threshold: of two classes, the positive one is predicted at or above this probability; nil: 0.5.
	Threshold *float64 `json:"threshold,omitempty"`

	// Other ways to choose the rows that are held out; at most one.
	HoldoutData  string `json:"holdout_data,omitempty"`  // a table of the same columns
	Split        string `json:"split,omitempty"`         // a column that says train or test
	GroupHoldout string `json:"group_holdout,omitempty"` // a column whose values stay together
	Time         string `json:"time,omitempty"`          // a column whose last rows are held out

	// Rows to choose the level on in place of cross-validation, which neither train it nor measure it; at most one.
	ValidationData  string `json:"validation_data,omitempty"`  // a table of the same columns
	ValidationSplit string `json:"validation_split,omitempty"` // a column whose value validation marks the rows

	// GroupsInferred reports whether the training rows had no groups, and clusters of their features stood for groups.
	// Fit sets it.
	GroupsInferred bool `json:"groups_inferred,omitempty"`

	// MinGroupSize is the least number of rows of a group that may be called the worst.
	MinGroupSize int `json:"min_group_size,omitempty"`

	Rows *RowSet `json:"-"` // the rows to train on, to choose on and to hold out; nil: by Holdout and Seed
	// Cache is the directory for rows that do not fit into memory, in unnamed files; if it does not
	// exist, its nearest existing parent. Without it such rows are an error.
	Cache string `json:"-"`
	// OnDisk stores the encoded rows in Cache even if they fit into memory.
	OnDisk bool `json:"-"`

	Memory int64 `json:"-"` // bytes that the process may have; 0: what the system leaves it

	// Threads is the number of goroutines that a training runs on at once, reading
	// included; 0: GOMAXPROCS. It changes no result and nothing of the process. While trainings with
	// other limits run in the process, the smallest counts for all of them.
	Threads int `json:"-"`

	// comm are the ranks that share the training, of the context of FitFrame, which is then a
	// collective call and gives the same model to all; nil: none.
	comm ranks.Comm

	examined *examined // what was found on the training rows; nil: they are examined

	design *GroupDesign // that is taken instead of a choice; nil: choose

	baselineMu, balancedMu *float64 // μ of ERM and of group-balanced ERM; nil: Mu
	keepsClasses           bool     // whether Recalibrate fits a slope alone

	Checkpoint *Checkpoint `json:"-"` // what is kept for another run to go on from; nil: nothing

	// KeepRows keeps the encoded rows in Model.Run after the training, as its evaluation (package
	// report) and Model.AdversaryWeights need them. Without it the rows are released.
	KeepRows bool `json:"-"`

	// KeepProof keeps the weights that prove the lower bound in Model.Run, for Model.Prove, which needs KeepRows too.
	KeepProof bool `json:"-"`

	NoBaseline bool `json:"-"` // train no plain averages to compare with; a level must be set

	Observe  func(Progress)       `json:"-"` // called at every check point, one call at a time; may be nil
	Announce func(string)         `json:"-"` // what a user should know at once, a line each; may be nil
	Logf     func(string, ...any) `json:"-"` // decisions of the solver, one line each; may be nil

	newLog func() func(Progress) // makes what logs one training; see LogTo
}

// DefaultConfig returns the settings of `drotrain train` without options. Data, Target and Groups are empty.
func DefaultConfig() Config {
	return Config{
		Impute: "error", Scale: "standard", ScaleTarget: true, Intercept: true, GroupFeatures: true,
		GroupCoefficients: groupCoefficientsAuto, Storage: "auto",
		HuberDelta: 1, Level: level.Level{Penalty: "kl"}, Choice: Choice{Rate: tune.DefaultOptions().Rate},
		Solver: autoSolver, Gap: 1e-6, MaxPasses: 10000, Holdout: 0.2, Seed: 0, MinGroupSize: 20,
	}
}

// setDefaults replaces words and numbers that are not set by their defaults.
func (c *Config) setDefaults() {
	d := DefaultConfig()
	c.Impute, c.Scale, c.Solver, c.Storage = cmp.Or(c.Impute, d.Impute), cmp.Or(c.Scale, d.Scale), cmp.Or(c.Solver,
		d.Solver), cmp.Or(c.Storage, d.Storage)
	c.Gap, c.MaxPasses, c.HuberDelta = cmp.Or(c.Gap, d.Gap), cmp.Or(c.MaxPasses, d.MaxPasses), cmp.Or(c.HuberDelta,
		d.HuberDelta)
	c.Penalty = cmp.Or(c.Penalty, d.Penalty)
	if c.Choice == (Choice{LearningCurve: c.LearningCurve}) {
		c.Rate = d.Rate
	}
}

// optionsByName returns the options by name, encoded as JSON. The configuration must be valid.
func (c Config) optionsByName() (options map[string]json.RawMessage) {
	b, _ := json.Marshal(c)
	_ = json.Unmarshal(b, &options)
	return options
}

// A Progress describes a check during training.
type Progress struct {
	// "group coefficients", "erm" and "group-weighted erm" for the baselines, "choosing", "robust", "tempered erm",
	// "recalibrating"
	Phase        string
	Passes       float64
	MaxPasses    float64
	Elapsed      time.Duration
	Upper, Lower float64 // certified bounds on the optimal objective, in loss units; Lower may be -Inf
	RelativeGap  float64 // (Upper−Lower)/max(1e-12, |Upper|); +Inf while there is no bound
	Target       float64 // the relative gap asked for

	Done, Total int // models solved and to solve, of a phase that solves many; the bounds are then 0
}

// countObserver returns a function that reports how many models of a phase are solved, or nil if nothing
// observes the training.
func (c Config) countObserver(phase string, began time.Time) func(done, total int) {
	if c.Observe == nil {
		return nil
	}
	return func(done, total int) {
		c.Observe(Progress{Phase: phase, Done: done, Total: total, Elapsed: time.Since(began)})
	}
}

// Share returns the finished proportion of a solve: of the logarithm of the gap from the first one to the
// target, or of the passes to their limit if that is larger.
func (p Progress) Share(first float64) float64 {
	share := 0.0
	if p.MaxPasses > 0 {
		share = p.Passes / p.MaxPasses
	}
	if p.RelativeGap <= p.Target {
		share = 1
	} else if first > p.Target && p.Target > 0 && p.RelativeGap < first {
		share = math.Max(share, math.Log(first/p.RelativeGap)/math.Log(first/p.Target))
	}
	return math.Min(1, share)
}
