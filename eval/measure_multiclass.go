package eval

import (
	"cmp"
	"slices"

	"github.com/drotrain/drotrain/eval/internal/interval"
	"github.com/drotrain/drotrain/internal/compensated"
)

// multiclassMeasures lists the measures of more than two classes.
var multiclassMeasures = []Measure{
	riskMeasure,
	{Key: accuracyKey, Label: "Accuracy", Unit: "share",
		About: "share of rows whose most probable class is the actual one", Better: More, Low: 0, High: 1,
		value: perWeight(func(s *rowSums) float64 { return s.right }), derive: deriveMean(
			colB), interval: intervalStrategy{exact: wilsonOf(func(c *countedRows) interval.Trials { return c.right })},
		isProportion: true, hasBaseline: true},
	{Key: logLossKey, Label: "Log loss", Unit: "nats",
		About: "mean of −log p, where p is the predicted probability of the actual class, but at least " +
			"2.2\u00a0×\u00a010⁻¹⁶", Better: Less, Low: 0, High: inf,
		value: perWeight(func(s *rowSums) float64 { return s.logLoss }), derive: deriveMean(colA), hasBaseline: true},
	{Key: "macro_f1", Label: "Macro-F1", Unit: "share",
		About: "mean, over the classes that occur, of F1, the harmonic mean of recall and precision; a class that is " +
			"never predicted counts as 0", Better: More, Low: 0, High: 1,
		value:    func(s *rowSums) (float64, string) { return s.f1 / float64(s.occurring), "" },
		interval: intervalStrategy{none: true}},
	{Key: "top5", Label: "Top-5 accuracy", Unit: "share",
		About: "share of rows whose class is among the five most probable", Better: More, Low: 0,
		High: 1,
		value: func(s *rowSums) (float64, string) {
			if s.classes <= top5Classes {
				return 0, fewClasses
			}
			return s.topFive / s.weight, ""
		}, derive: deriveMean(colC), interval: intervalStrategy{exact: wilsonOf(func(c *countedRows) interval.Trials {
			return c.topFive
		})}, isProportion: true},
}

// fewClasses is the reason why top-5 accuracy is undefined. isNoWorry excludes it from warnings.
const fewClasses = "there are ten classes or fewer"

// isNoWorry reports whether the reason why a measure is undefined is that it does not apply to such rows.
func isNoWorry(why string) bool { return why == fewClasses || why == negativeTargets }

// top5Classes is the number of classes above which top-5 accuracy is reported.
const top5Classes = 10

// sumMulticlass returns the sums of model k over rows of more than two classes.
func sumMulticlass(in *measuredRows, k int, rows []int32) rowSums {
	m := &in.Models[k]
	var total, risk, ll, hit, five compensated.Sum
	for _, i := range rows {
		w := in.Weight.Of(i)
		total = total.Plus(w)
		risk = risk.Plus(w * m.Loss[i])
		ll = ll.Plus(w * in.LogLoss[k][i])
		if float64(m.Class[i]) == in.Target[i] {
			hit.Add(w)
		}
		if m.Place[i] <= 5 {
			five.Add(w)
		}
	}
	s := rowSums{rows: len(rows), weight: total.Value(), risk: risk.Value(), logLoss: ll.Value(), right: hit.Value(),
		topFive: five.Value(), classes: len(in.Classes)}
	for _, c := range classResults(in, m, rows) {
		if c.Support > 0 {
			s.f1 += float64(c.F1)
			s.occurring++
		}
	}
	return s
}

// A ClassResult holds the measures of a model on the rows of a class.
type ClassResult struct {
	Class     string `json:"class"`
	Support   int    `json:"support"`   // number of rows of the class
	Predicted int    `json:"predicted"` // number of rows predicted to be in this class
	// share of the rows of this class that are predicted to be in it; null if it has no rows
	Recall Num `json:"recall"`
	// share of the rows predicted to be in this class that are in it; null if there are none
	Precision Num `json:"precision"`
	F1        Num `json:"f1"`
}

// classResults returns the measures of model m for every class.
func classResults(in *measuredRows, m *Model, rows []int32) []ClassResult {
	k := len(in.Classes)
	out := make([]ClassResult, k)
	of, as, right := make([]float64, k), make([]float64, k), make([]float64, k)
	for _, i := range rows {
		w, t, c := in.Weight.Of(i), int(in.Target[i]), int(m.Class[i])
		of[t] += w
		as[c] += w
		out[t].Support++
		out[c].Predicted++
		if t == c {
			right[t] += w
		}
	}
	for c := range out {
		r := &out[c]
		r.Class, r.Recall, r.Precision, r.F1 = in.Classes[c], Num(right[c]/of[c]), Num(right[c]/as[c]), Num(
			2*right[c]/(of[c]+as[c]))
	}
	return out
}

// A Confusion counts the rows of one class that are predicted to be in another class.
type Confusion struct {
	Actual    string `json:"actual"`
	Predicted string `json:"predicted"`
	Rows      int    `json:"rows"`
}

const (
	// maxMatrixClasses is the maximum number of classes for which the whole confusion matrix is reported;
	// maxConfused is the maximum number of confusions listed.
	maxMatrixClasses = 30
	maxConfused      = 20
)

// confusionsOf returns the confusion matrix, or nil if there are too many classes, and the most frequent
// confusions.
func confusionsOf(in *measuredRows, m *Model) (matrix [][]int, pairs []Confusion) {
	k := len(in.Classes)
	count := map[[2]int]int{}
	for i, t := range in.Target {
		count[[2]int{int(t), int(m.Class[i])}]++
	}
	if k <= maxMatrixClasses {
		matrix = make([][]int, k)
		for t := range matrix {
			matrix[t] = make([]int, k)
			for c := range matrix[t] {
				matrix[t][c] = count[[2]int{t, c}]
			}
		}
	}
	for at, n := range count {
		if at[0] != at[1] {
			pairs = append(pairs, Confusion{in.Classes[at[0]], in.Classes[at[1]], n})
		}
	}
	slices.SortFunc(pairs, func(a, b Confusion) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Actual, b.Actual), cmp.Compare(a.Predicted, b.Predicted))
	})
	return matrix, pairs[:min(len(pairs), maxConfused)]
}
