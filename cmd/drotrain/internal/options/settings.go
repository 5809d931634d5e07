package options

import (
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/export"
	"github.com/drotrain/drotrain/train"
)

// Settings holds the values of the options of a command. Every entry of the registry sets one field.
type Settings struct {
	Config   train.Config // data, columns, reading, robustness and solver
	Threads  int
	Evaluate string // how train evaluates: auto, or a value of Config.Evaluate
	Resume   bool

	Resamples  string // "auto" or a number
	Confidence float64
	Tolerance  float64
	Card       string

	AllGroups bool
	Report    string // one of ReportFull, ReportFast and ReportNone

	Models         []string // models to compare; the first is the baseline
	Variant        string
	Predictions    string
	TrainedOn      string
	TrainingFilter bool
	Strict         bool
	Task           string
	Scores         []string
	Columns        []string // columns searched for slices with high risk
	Gates          []eval.Gate
	Against        string // metrics file or model to whose results gates refer
	ListMeasures   bool   // print the measures of gates, and do nothing else

	Keep           []string // columns that predict copies
	Export         export.Options
	Margins        bool   // predict also writes margins
	Invalid        string // treatment by predict of rows that cannot be scored: InvalidError or InvalidNull
	EscapeFormulas bool   // escape text that a spreadsheet would interpret as a formula

	Out             string
	WeightsOut      string   // file for the adversary's weights
	Proof           string   // file of the certificate's proof, written by train and read by verify
	Encoded         string   // file for the rows encoded by verify
	Outputs         []string // outputs of eval: files, or one directory
	Formats         []string
	Format          string // format of an export, or of predictions on standard output
	Force           bool
	AllowDegenerate bool
	ConfigFile      string
	JSON            bool
	Quiet           bool
	Verbose         bool
	LogFormat       string
}

// Names of the commands as used in the registry.
const (
	Train   = "train"
	Tune    = "tune"
	Eval    = "eval"
	Predict = "predict"
	Export  = "export"
	Verify  = "verify"
	Inspect = "inspect"
)

// Values of options that commands compare with.
const (
	Auto = "auto"

	ReportFull = "full"
	ReportFast = "fast" // no intervals, slices or plots, and no table of the adversary's weights by column
	ReportNone = "none"

	LogPlain = "plain"
	LogText  = "text"
	LogJSON  = "json"
)

// DefaultTolerance is the default limit on differences in selection rates and true positive rates between groups.
const DefaultTolerance = 0.1

// Defaults returns the default settings of a command.
func Defaults(command string) *Settings {
	s := &Settings{
		Config: train.DefaultConfig(), Evaluate: Auto,
		Resamples: Auto, Report: ReportFull, Confidence: 0.95, Tolerance: DefaultTolerance,
		Export:    export.Options{Dialect: export.Dialects()[0], Table: "data"},
		LogFormat: LogPlain,
		Invalid:   InvalidError,
	}
	switch command {
	case Train:
		s.Out = "drotrain-out"
	case Tune:
		s.Out = "drotrain-tune"
	case Export:
		s.EscapeFormulas = true
	}
	return s
}
