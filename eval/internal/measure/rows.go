package measure

// A Role says what a model is among those of a training.
type Role string

// The roles. The zero value is a model from elsewhere.
const (
	OtherModel    Role = ""
	StandardModel Role = "erm"
	RobustModel   Role = "robust"
	BalancedModel Role = "group-balanced erm"
	RescaledModel Role = "rescaled erm"
)

// A Model is one column of predictions over the rows evaluated.
type Model struct {
	Name  string    // "ERM", "robust", …; unique
	Role  Role      // OtherModel for predictions from elsewhere
	Score []float64 // n: P(positive) in [0, 1], or the predicted value in the target's original units
	Loss  []float64 // n: training loss of each row, in the units of the objective; nil in an input: of the scores, by LossName
}

// Rows are what is measured, checked by who made them: n ≥ 1 rows, run along by
// all slices, finite numbers, models with names of their own.
type Rows struct {
	Task      Task
	Target    []float64 // n: ±1, or original units
	Weight    []float64 // n of mean 1, or nil for equal ones
	Models    []Model
	Threshold float64 // binary: predicted positive from this score on
	Pool
}
