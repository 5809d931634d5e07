package eval

import "github.com/drotrain/drotrain/eval/internal/measure"

// What is measured, named where it is made.
type (
	// Num is a number, or null in JSON.
	Num = measure.Num
	// Task says what the target is.
	Task = measure.Task
	// A Measure describes one number of the tables.
	Measure = measure.Measure
	// Values holds one number per measure.
	Values = measure.Values
	// Interval is a confidence interval and how it was made.
	Interval = measure.Interval
	// A Model is one column of predictions over the rows evaluated.
	Model = measure.Model
	// A Column is one raw feature over the rows evaluated.
	Column = measure.Column
	// CVaRPoint is one point of a CVaR curve.
	CVaRPoint = measure.CVaRPoint
	// A CalibrationBin is about a tenth of the rows by probability.
	CalibrationBin = measure.CalibrationBin
	// A ResidualBin is about a tenth of the rows by prediction.
	ResidualBin = measure.ResidualBin
	// A ClassResult is what a model does on the rows of one class.
	ClassResult = measure.ClassResult
	// A Confusion is how many rows of one class are predicted to be of another.
	Confusion = measure.Confusion
	// Progress is where a measurement has come to.
	Progress = measure.Progress
)

// The tasks.
const (
	Binary     = measure.Binary     // the target is ±1, scores are P(positive)
	Regression = measure.Regression // target and scores are in original units
	Multiclass = measure.Multiclass // the target is the index of a class, scores are its probability
)

// Undefined returns the Num that stands for "could not be computed".
func undefined() Num { return measure.Undefined() }
