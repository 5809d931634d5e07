package resample

import (
	"math"

	"github.com/drotrain/drotrain/eval/internal/measure"
	"github.com/drotrain/drotrain/internal/memory"
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
	of := p.r.all
	if p.to == p.from+1 {
		of = &p.r.strata[p.from]
	}
	if p.r.in.Task != measure.Binary || of == nil {
		return l, false
	}
	return areaError(p.r.in, of, key, k, base)
}

// RankingGain returns the AUC of model k minus that of model base over a stratum, and the standard error
// of DeLong, DeLong and Clarke-Pearson (1988); NaN where it is not known.
func RankingGain(in *measure.Rows, of *measure.Stratum, k, base int) (gain, se float64) {
	l, ok := areaError(in, of, "auc", k, base)
	if !ok {
		return math.NaN(), math.NaN()
	}
	return of.Ties(in, k).AUC() - of.Ties(in, base).AUC(), math.Sqrt(l.variance)
}

// areaError returns the distribution of the AUC or the average precision of model k over a stratum, less
// that of model base unless base is −1.
func areaError(in *measure.Rows, of *measure.Stratum, key string, k, base int) (l estimateError, ok bool) {
	arena, n := in.Arena, len(of.Rows)
	along := memory.Make[float64](arena, n)
	defer memory.Release(arena, along)
	few := make(map[int32]float64) // influence by row, of few rows
	var many []float64
	if n >= normalRows {
		many = memory.Make[float64](arena, len(in.Target))
		defer memory.Release(arena, many)
	}
	add := func(k int, f float64) {
		t := of.Ties(in, k)
		if key == "auc" {
			AUCInfluence(along, t, t.AUC())
		} else {
			averagePrecisionInfluence(along, t, t.AveragePrecision())
		}
		for q, i := range t.Order {
			if many != nil {
				many[i] += f * along[q]
			} else {
				few[i] += f * along[q]
			}
		}
	}
	add(k, 1)
	if base >= 0 {
		add(base, -1)
	}
	var class [2][]float64
	for _, i := range of.Rows {
		c := 0
		if key == "auc" && in.Target[i] > 0 {
			c = 1 // the AUC is a mean over either class
		}
		if many != nil {
			class[c] = append(class[c], many[i])
		} else {
			class[c] = append(class[c], few[i])
		}
	}
	scarce := len(of.Rows)
	for _, x := range class {
		if len(x) > 0 {
			l.addRows(x)
			scarce = min(scarce, len(x))
		}
	}
	if key == "auc" {
		l.n = scarce
	}
	return l, scarce > 1
}
