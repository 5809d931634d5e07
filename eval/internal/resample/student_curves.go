package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
)

// curve returns the interval of an area under a curve: ± Student's quantile on the logit scale.
func (p *Part) curve(key string, k int, at float64) *measure.Interval {
	if l, ok := p.curveError(key, k, -1); ok && l.variance > 0 && at > 0 && at < 1 {
		iv := logitInterval(at, math.Sqrt(l.variance), Student(p.r.Confidence, l.freedom()), logitMethod)
		return &iv
	}
	return nil
}

// curveError returns the distribution of the AUC or the average precision of model k, less that of model
// base unless base is −1.
func (p *Part) curveError(key string, k, base int) (l estimateError, ok bool) {
	r := p.r
	if r.in.Task != measure.Binary {
		return l, false
	}
	kind := 0
	if key == "auprc" {
		kind = 1
	}
	of, limit := r.all, r.wholeLimit
	if p.to == p.from+1 {
		of, limit = &r.strata[p.from], nil
		if m := r.limit[p.from]; m != nil {
			limit = &m.rank
		}
	}
	if of == nil {
		return l, false
	}
	if limit != nil {
		v, root := 0.0, limit.root[kind]
		for j := range root.n {
			d := root.at(k, j)
			if base >= 0 {
				d -= root.at(base, j)
			}
			v += float64(d * d)
		}
		l.addNormal(len(of.Rows), v)
		return l, true
	}
	influence := make(map[int32]float64, len(of.Rows))
	along := make([]float64, len(of.Rows))
	add := func(k int, f float64) {
		t := of.Ties(r.in, k)
		if kind == 0 {
			AUCInfluence(along, t, t.AUC())
		} else {
			averagePrecisionInfluence(along, t, t.AveragePrecision())
		}
		for q, i := range t.Order {
			influence[i] += f * along[q]
		}
	}
	add(k, 1)
	if base >= 0 {
		add(base, -1)
	}
	var class [2][]float64
	for _, i := range of.Rows {
		c := 0
		if kind == 0 && r.in.Target[i] > 0 {
			c = 1 // the AUC is a mean over either class
		}
		class[c] = append(class[c], influence[i])
	}
	scarce := len(of.Rows)
	for _, x := range class {
		if len(x) > 0 {
			l.addRows(x)
			scarce = min(scarce, len(x))
		}
	}
	if kind == 0 {
		l.n = scarce
	}
	return l, scarce > 1
}

// at returns the entry of row j and column k, 0 above the diagonal.
func (t triangle) at(j, k int) float64 {
	if k > j {
		return 0
	}
	return t.v[j*(j+1)/2+k]
}
