package eval

import "math"

// columns is the table that is resampled, row-major: for each model its own
// columns, then the shared ones. A vector of resampled sums has the same layout
// followed by the bins of the ECE (a row falls into one of them, so they are
// not columns) and by the statistics of ranks, which are no sums.
type columns struct {
	task   Task
	models int
	per    int // columns of a model
	shared int // where the shared columns start
	width0 int // columns of a row
	bins   int // where the bins start: eceBins a model
	rank   int // where the ranks start: rankStats a model
	width  int

	v   []float64 // rows of one stratum after another
	gap []float64 // binary: rows × models, w (p − y)
	bin []uint8   // binary: rows × models, the bin of p
}

// Columns of a model, each times the weight of the row.
const (
	colLoss = iota
	colTail // q + (ℓ − q)₊/α: its mean is CVaR_α, linearised at the sample quantile
	colA    // binary: log-loss; regression: squared error
	colB    // binary: squared probability error; regression: |error|
	colC    // binary: predicted and positive; regression: error
	colD    // binary: predicted and negative
)

// Shared columns: the weight; then binary: the weight of a positive;
// regression: the target (centred) and its square, times the weight.
const (
	sharedWeight = iota
	sharedA
	sharedB
)

// tailAlpha is the level of the tail measure compared between models.
const tailAlpha = 0.1

func newColumns(task Task, models int) *columns {
	c := &columns{task: task, models: models, per: 6}
	shared, bins, ranks := 2, eceBins, 2
	if task == Regression {
		c.per, shared, bins, ranks = 5, 3, 0, 1
	}
	c.shared = c.per * models
	c.width0 = c.shared + shared
	c.bins = c.width0
	c.rank = c.bins + bins*models
	c.width = c.rank + ranks*models
	return c
}

func buildColumns(in *Input, strata [][]int32, tailQ []float64, center float64) *columns {
	c := newColumns(in.Task, len(in.Models))
	c.v = make([]float64, 0, c.width0*len(in.Target))
	for _, rows := range strata {
		for _, i := range rows {
			w, t := 1.0, in.Target[i]
			if in.weight != nil {
				w = in.weight[i]
			}
			for k, m := range in.Models {
				l, s := m.Loss[i], m.Score[i]
				tail := tailQ[k] + math.Max(0, l-tailQ[k])/tailAlpha
				if in.Task == Regression {
					e := s - t
					c.v = append(c.v, w*l, w*tail, w*e*e, w*math.Abs(e), w*e)
					continue
				}
				y, p, tp, fp := 0.0, min(max(s, logLossClip), 1-logLossClip), 0.0, 0.0
				ll := -math.Log(1 - p)
				if t > 0 {
					y, ll = 1, -math.Log(p)
				}
				if s >= in.threshold() {
					tp, fp = w*y, w*(1-y)
				}
				c.v = append(c.v, w*l, w*tail, w*ll, w*(s-y)*(s-y), tp, fp)
				c.gap = append(c.gap, w*(s-y))
				c.bin = append(c.bin, uint8(eceBin(s)))
			}
			if in.Task == Regression {
				d := t - center
				c.v = append(c.v, w, w*d, w*d*d)
			} else {
				c.v = append(c.v, w, w*max(0, t))
			}
		}
	}
	return c
}

// addCounted adds rows start … start+n−1, each as often as it was drawn, to the
// sums of several resamples; count holds n numbers for each.
func (c *columns) addCounted(dst [][]float64, count []uint8, start, n int) {
	const chunk = 1 << 10 // rows a cache holds while all resamples use them
	w := c.width0
	for lo := 0; lo < n; lo += chunk {
		hi := min(lo+chunk, n)
		for b, d := range dst {
			sums := d[:w]
			for i, m := range count[b*n+lo : b*n+hi] {
				if m == 0 {
					continue
				}
				f := float64(m)
				at := start + lo + i
				row := c.v[at*w:][:w]
				for k, x := range row {
					sums[k] += float64(f * x) // rounded: the same bits where multiply and add could fuse
				}
				if c.bin != nil {
					for k, g := range c.gap[at*c.models:][:c.models] {
						d[c.bins+k*eceBins+int(c.bin[at*c.models+k])] += float64(f * g)
					}
				}
			}
		}
	}
}

// value is a measure of model k from resampled sums; NaN where it is undefined.
func (c *columns) value(key string, s []float64, k int) float64 {
	m, w := s[k*c.per:], s[c.shared+sharedWeight]
	switch key {
	case "risk":
		return m[colLoss] / w
	case "cvar":
		return m[colTail] / w
	}
	if c.task == Regression {
		switch key {
		case "rmse":
			return math.Sqrt(m[colA] / w)
		case "mae":
			return m[colB] / w
		case "bias":
			return m[colC] / w
		case "r2":
			t := s[c.shared+sharedA]
			return 1 - m[colA]/(s[c.shared+sharedB]-t*t/w)
		case "median_ae":
			return s[c.rank+k]
		}
		return math.NaN()
	}
	pos, tp, fp := s[c.shared+sharedA], m[colC], m[colD]
	neg := w - pos
	bins := s[c.bins+k*eceBins:][:eceBins]
	switch key {
	case "log_loss":
		return m[colA] / w
	case "brier":
		return m[colB] / w
	case "accuracy":
		return (tp + neg - fp) / w
	case "balanced_accuracy":
		return (tp/pos + (neg-fp)/neg) / 2
	case "tpr":
		return tp / pos
	case "fpr":
		return fp / neg
	case "ppv":
		return tp / (tp + fp)
	case "selection_rate":
		return (tp + fp) / w
	case "prevalence":
		return pos / w
	case "calibration_gap":
		g := 0.0
		for _, x := range bins {
			g += x
		}
		return g / w
	case "ece":
		g := 0.0
		for _, x := range bins {
			g += math.Abs(x)
		}
		return g / w
	case "auc":
		return s[c.rank+2*k]
	case "auprc":
		return s[c.rank+2*k+1]
	}
	return math.NaN()
}
