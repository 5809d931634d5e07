package eval

// A Role says which of the models of a training a model is.
type Role string

// The roles. The zero value is a model from elsewhere.
const (
	OtherModel    Role = ""
	StandardModel Role = "erm"
	RobustModel   Role = "robust"
	BalancedModel Role = "group-balanced erm"
	RescaledModel Role = "rescaled erm"
)

// A Model holds the predictions of a model for the rows evaluated.
type Model struct {
	Name  string    // "ERM", "robust", …; unique
	Role  Role      // OtherModel for predictions from elsewhere
	Score []float64 // n: P(positive) in [0, 1], P(actual class), or the predicted value in the target's original units
	Loss  []float64 // n: training loss of each row, in the units of the objective; nil in an input: of the scores, by LossName

	// Of more than two classes: the index of the most probable class, and the place of the actual class
	// by its probability, from 1.
	Class, Place []int32
}

// measuredRows holds the n ≥ 1 rows of an Input that has been checked: all slices have length n, numbers
// are finite, and names of models are unique.
type measuredRows struct {
	Task      Task
	Target    []float64 // n: ±1, the index of a class, or original units
	Classes   []string  // of Multiclass
	Weight    []float64 // n of mean 1, or nil for equal ones
	Models    []Model
	Threshold float64 // binary: predicted positive from this score on
	workerPool
}

// WeightOf returns the weight of row i.
func (in *measuredRows) WeightOf(i int32) float64 {
	if in.Weight == nil {
		return 1
	}
	return in.Weight[i]
}
