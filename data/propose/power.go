package propose

import (
	"math"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/stat"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/spearman"
)

// targetValues holds the values of the target in the rows examined.
type targetValues struct {
	rows   []int // of the frame
	y      []float64
	binary bool   // y is 0 or 1
	one    string // the class that is 1
	other  string // of two classes, the other one
}

// powerOf returns how well values alone put the rows in the order of the target: the area under
// the ROC curve of a target of two values, 0.5 for none and 1 for all, in either
// direction; else the squared correlation of the ranks. Values that are not numbers have
// no part.
func (t *targetValues) powerOf(v []float64) float64 {
	x, y := make([]float64, 0, len(v)), make([]float64, 0, len(v))
	for i, a := range v {
		if !math.IsNaN(a) {
			x, y = append(x, a), append(y, t.y[i])
		}
	}
	if len(x) < 20 {
		return 0
	}
	if t.binary {
		return auc(spearman.Ranks(x), y)
	}
	ranks, values := correlation(spearman.Ranks(x), spearman.Ranks(y)), correlation(x, y)
	return max(ranks*ranks, values*values)
}

// Power returns how well values alone predict the order of a target y: for two classes (y > 0 is one) the area
// under the ROC curve, otherwise the squared correlation of values or ranks. It returns 1 if they predict it
// exactly.
func Power(v, y []float64, binary bool) float64 {
	t := &targetValues{y: y, binary: binary}
	return t.powerOf(v)
}

// isPredicted reports whether a power is so high that a suspicious name counts.
func (t *targetValues) isPredicted(power float64) bool {
	if t.binary {
		return power > 0.6
	}
	return power > 0.1
}

// isWellPredicted reports whether a power is higher than usual for predictors.
func (t *targetValues) isWellPredicted(power float64) bool {
	if t.binary {
		return power > 0.9
	}
	return power > 0.8
}

// agreement returns Cohen's kappa of two columns with two values each, in the direction in which they agree: 1
// for copies, 0 for chance.
func agreement(a, b []float64) float64 {
	var both [2][2]float64
	for i := range a {
		both[int(a[i])][int(b[i])]++
	}
	n := float64(len(a))
	of := func(p float64, chance float64) float64 {
		if chance == 1 {
			return 0
		}
		return (p - chance) / (1 - chance)
	}
	a1, b1 := (both[1][0]+both[1][1])/n, (both[0][1]+both[1][1])/n
	same := of((both[0][0]+both[1][1])/n, a1*b1+(1-a1)*(1-b1))
	other := of((both[0][1]+both[1][0])/n, a1*(1-b1)+(1-a1)*b1)
	return max(same, other)
}

// auc returns the area under the ROC curve of a score given by its ranks, in either direction.
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

// correlation returns the correlation of two columns, 0 if one is constant.
func correlation(a, b []float64) float64 {
	if r := stat.Correlation(a, b, nil); !math.IsNaN(r) {
		return r
	}
	return 0
}

// columnScores returns the values of a column as numbers. For a category it returns the mean target of the
// level in the other half of the rows, so that many levels alone have no power.
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
	var all sum
	for i, r := range t.rows {
		s := of[i%2][c.Code[r]]
		s.n, s.y = s.n+1, s.y+t.y[i]
		of[i%2][c.Code[r]] = s
		all.n, all.y = all.n+1, all.y+t.y[i]
	}
	for i, r := range t.rows {
		s := of[1-i%2][c.Code[r]]
		out[i] = (s.y + all.y/all.n) / (s.n + 1)
	}
	return out
}

// words splits a name into words: is_recid, isRecid and "is recid" give is, recid.
func words(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r):
			b.WriteByte(' ')
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// future lists words in the names of columns that are known only afterwards.
var future = map[string]bool{"outcome": true, "result": true, "results": true, "final": true, "future": true, "next": true, "after": true, "later": true,
	"followup": true, "resolution": true, "resolved": true, "closed": true, "closing": true, "settled": true, "settlement": true, "discharge": true, "discharged": true,
	"death": true, "died": true, "alive": true, "recovered": true, "recoveries": true, "chargeoff": true, "cancelled": true, "canceled": true, "churned": true, "returned": true,
	"end": true, "ended": true, "event": true, "censored": true, "censors": true, "predicted": true, "prediction": true, "verdict": true}

// common lists words that carry no meaning in names.
var common = map[string]bool{"target": true, "label": true, "class": true, "flag": true, "year": true, "years": true, "month": true, "date": true, "time": true, "number": true,
	"count": true, "total": true, "score": true, "value": true, "values": true, "rate": true, "type": true, "code": true, "name": true, "group": true, "column": true, "level": true, "mean": true, "with": true, "from": true}

// sharedWord returns a word that a name shares with the name of the target, or a common prefix of two words, or
// "".
func sharedWord(name, target string) string {
	of := words(target)
	for _, w := range words(name) {
		for _, v := range of {
			if len(w) < 4 || len(v) < 4 || common[w] || common[v] {
				continue
			}
			n := 0
			for n < min(len(w), len(v)) && w[n] == v[n] {
				n++
			}
			if n >= 4 {
				return w[:n]
			}
		}
	}
	return ""
}
