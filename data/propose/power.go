package propose

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/spearman"
)

// targetValues holds the values of the target in the rows examined.
type targetValues struct {
	rows   []int // rows of the frame
	y      []float64
	binary bool   // whether y has only values 0 and 1
	one    string // the class for which y is 1
	other  string // the less frequent of two classes
}

// measureName returns the name of the measure that predictivePower returns.
func measureName(binary bool) string {
	if binary {
		return "AUC"
	}
	return "R²"
}

// predictivePower returns how well the values v by themselves predict the target y. For two classes, of which y > 0
// is one, it returns the area under the ROC curve; otherwise it returns the squared correlation of values or ranks,
// whichever is larger. It returns 1 if the prediction is exact. A NaN in v is not a value. It panics if y is
// shorter than v.
func predictivePower(v, y []float64, binary bool) float64 {
	x, target := make([]float64, 0, len(v)), make([]float64, 0, len(v))
	for i, a := range v {
		if !math.IsNaN(a) {
			x, target = append(x, a), append(target, y[i])
		}
	}
	if len(x) < 20 {
		return 0
	}
	if binary {
		return auc(spearman.Ranks(x), target)
	}
	ranks, values := spearman.Correlation(x, target), stat.Correlation(x, target, nil)
	power := 0.0
	for _, r := range []float64{ranks, values} {
		if !math.IsNaN(r) { // both columns vary
			power = max(power, r*r)
		}
	}
	return power
}

// auc returns the area under the ROC curve of a score, given by its ranks, in the direction in which it is larger.
func auc(rank, y []float64) float64 {
	n1, sum := 0.0, 0.0
	for i, v := range y {
		if v > 0 {
			n1++
			sum += rank[i]
		}
	}
	n0 := float64(len(y)) - n1
	if n1 == 0 || n0 == 0 {
		return 0.5
	}
	a := (sum - n1*(n1+1)/2) / (n1 * n0)
	return max(a, 1-a)
}

// exceedsLimit reports whether a power is above its limit: auc for two classes, and r2 otherwise.
func (t *targetValues) exceedsLimit(power, auc, r2 float64) bool {
	if t.binary {
		return power > auc
	}
	return power > r2
}

// A contrast compares the target in two sets of rows.
type contrast struct {
	n, sum  [2]float64 // number of rows and sum of the target in each set
	squares float64    // sum of squares of the target in both sets
}

// compare returns the contrast between the rows for which set returns 0 and the rows for which set returns 1.
func (t *targetValues) compare(set func(row int) int) (c contrast) {
	for i, r := range t.rows {
		if k := set(r); k >= 0 {
			c.n[k]++
			c.sum[k] += t.y[i]
			c.squares += t.y[i] * t.y[i]
		}
	}
	return c
}

// mean returns the mean of the target in set 0 or 1.
func (c contrast) mean(set int) float64 { return c.sum[set] / c.n[set] }

// deviation returns the standard deviation of the target in the union of the two sets.
func (c contrast) deviation() float64 {
	n := c.n[0] + c.n[1]
	mean := (c.sum[0] + c.sum[1]) / n
	return math.Sqrt(max(0, c.squares/n-mean*mean))
}

// columnScores returns the values of a column as numbers. A category is represented by the mean target of its level
// in the other half of the rows, so that a column does not gain power merely by having many levels.
func (t *targetValues) columnScores(c *data.Column) []float64 {
	out := make([]float64, len(t.rows))
	if c.Kind != data.Categorical {
		for i, r := range t.rows {
			if out[i] = c.Number[r]; c.IsNull(r) {
				out[i] = math.NaN()
			}
		}
		return out
	}
	type sum struct{ n, y float64 }
	of := [2]map[int32]sum{{}, {}}
	for i, r := range t.rows {
		s := of[i%2][c.Code[r]]
		of[i%2][c.Code[r]] = sum{s.n + 1, s.y + t.y[i]}
	}
	mean := stat.Mean(t.y, nil)
	for i, r := range t.rows {
		s := of[1-i%2][c.Code[r]]
		out[i] = (s.y + mean) / (s.n + 1)
	}
	return out
}
