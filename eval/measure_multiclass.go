package eval

import (
	"cmp"
	"math"
	"slices"
)

var multiclassMeasures = []Measure{
	{"risk", "Risk", "loss", "mean training loss", Less, -inf, inf},
	{"accuracy", "Accuracy", "share", "share of rows whose most probable class is the actual one", More, 0, 1},
	{"log_loss", "Log-loss", "nats", "mean of −log of the probability given to the class that occurred, probabilities clipped to 2.2e-16 from below", Less, 0, inf},
	{"macro_f1", "Macro-F1", "share", "mean F1 of the classes that occur, the harmonic mean of recall and precision; a class that is never predicted counts as 0", More, 0, 1},
	{"top5", "Top-5 accuracy", "share", "share of rows whose class is among the five most probable; of more than ten classes", More, 0, 1},
}

// top5Classes is the number of classes above which top-5 accuracy is reported.
const top5Classes = 10

// measureMulticlass returns the measures of rows of more than two classes.
func measureMulticlass(in *measuredRows, m *Model, rows []int32) Values {
	var v Values
	var total, risk, ll, hit, five compensatedSum
	for _, i := range rows {
		w := in.Weight.weightOf(i)
		total.Add(w)
		risk.Add(w * m.Loss[i])
		ll.Add(-w * math.Log(max(m.Score[i], logLossClip)))
		if float64(m.Class[i]) == in.Target[i] {
			hit.Add(w)
		}
		if m.Place[i] <= 5 {
			five.Add(w)
		}
	}
	n := total.Sum()
	v.set("risk", risk.Sum()/n, "")
	v.set("accuracy", hit.Sum()/n, "")
	v.set("log_loss", ll.Sum()/n, "")
	f1, count := 0.0, 0.0
	for _, c := range classResults(in, m, rows) {
		if c.Support > 0 {
			f1 += float64(c.F1)
			count++
		}
	}
	v.set("macro_f1", f1/count, "")
	why := ""
	if len(in.Classes) <= top5Classes {
		why = "there are ten classes or fewer"
	}
	v.set("top5", five.Sum()/n, why)
	return v
}

// A ClassResult holds the measures of a model on the rows of a class.
type ClassResult struct {
	Class     string `json:"class"`
	Support   int    `json:"support"`   // rows of the class
	Predicted int    `json:"predicted"` // rows predicted to be of it
	Recall    Num    `json:"recall"`    // share of its rows that are predicted to be of it; null without rows
	Precision Num    `json:"precision"` // share of the rows predicted to be of it that are; null where none is
	F1        Num    `json:"f1"`
}

// classResults returns the measures of model m for every class.
func classResults(in *measuredRows, m *Model, rows []int32) []ClassResult {
	k := len(in.Classes)
	out := make([]ClassResult, k)
	of, as, right := make([]float64, k), make([]float64, k), make([]float64, k)
	for _, i := range rows {
		w, t, c := in.Weight.weightOf(i), int(in.Target[i]), int(m.Class[i])
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
		r.Class, r.Recall, r.Precision, r.F1 = in.Classes[c], Num(right[c]/of[c]), Num(right[c]/as[c]), Num(2*right[c]/(of[c]+as[c]))
	}
	return out
}

// A Confusion counts the rows of one class that are predicted to be of another.
type Confusion struct {
	Actual    string `json:"actual"`
	Predicted string `json:"predicted"`
	Rows      int    `json:"rows"`
}

const (
	// maxMatrixClasses is the largest number of classes for which the whole confusion matrix is reported;
	// maxConfused is the number of most frequent confusions listed.
	maxMatrixClasses = 30
	maxConfused      = 20
)

// confusionsOf returns the confusion matrix, nil if there are too many classes, and the most frequent
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
