package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A GroupFeatureCost is what leaving group columns out of the features costs the worst group:
// the mean loss of ERM in the group where it is largest without the columns, out of fold, and
// its mean loss there with them.
type GroupFeatureCost struct {
	Columns   []string   // left out
	Group     string     // with the largest mean loss without the columns
	Rows      int        // of that group
	Without   float64    // mean loss, in units of the training loss
	With      float64    // mean loss with the columns as features
	Interval  [2]float64 // of Without − With, 95 %, simultaneous over the groups that may be the worst
	Used      int        // training rows that were used
	MeanError float64    // factor from mean losses to mean squared errors in the target's units; 0: the loss is not squared

	target  string
	logLoss bool
}

// costFolds is the number of folds of a GroupFeatureCost.
const costFolds = 5

// GroupFeatureCost fits ERM out of fold with and without the group columns that are no features,
// on as many of the first training rows as make 4 million entries. It returns nil where all group
// columns are features, and nil with a reason where the cost was not worked out.
func (m *Model) GroupFeatureCost(ctx context.Context) (cost *GroupFeatureCost, leftOut string, err error) {
	if m.Run == nil {
		return nil, "the training rows were not kept", nil
	}
	_, out := splitGroupFeatures(m.Encoder)
	c, d := m.Config, m.Run.Train
	if len(out) == 0 {
		return nil, "", nil
	}
	if c.comm != nil || m.Run.OnDisk() {
		return nil, "the training rows are not in memory", nil
	}
	n := min(d.N, max(leastDesignRows, mostDesignCells/d.D))
	c.GroupFeatures = true
	c.Drop = slices.DeleteFunc(slices.Clone(c.Drop), func(name string) bool { return slices.Contains(out, name) })
	if len(c.Features) > 0 {
		c.Features = append(slices.Clone(c.Features), out...)
	}
	fitted, err := data.Fit(ctx, m.Run.Frame, d.Rows[:n], nil, c.dataSpec(), data.Sink{Storage: data.Storage(c.Storage)})
	var refused *data.Error
	switch {
	case errors.As(err, &refused):
		return nil, refused.Msg, nil
	case err != nil:
		return nil, "", err
	case !slices.Equal(fitted.Train.Rows, d.Rows[:n]):
		return nil, "rows are dropped for missing values", nil
	case fitted.Encoder.D() == d.D:
		return nil, "they have too many levels for a feature", nil
	}
	first := make([]int, n)
	for i := range first {
		first[i] = i
	}
	t := m.tuneTable(d).Select(first)
	t.Primal.Mu *= float64(d.N) / float64(n)
	with := *t
	with.X = fitted.Train.X
	var few *tune.FewRowsError
	var loss [2][]float64
	for k, of := range []*tune.Table{t, &with} {
		margin, err := of.Margins(ctx, level.Level{Average: "plain", Penalty: "kl"}, costFolds, c.Seed, nil, func(int, int) {})
		if errors.As(err, &few) {
			return nil, few.Msg, nil
		} else if err != nil {
			return nil, "", err
		}
		if loss[k] = margin; m.coefficientsPerColumn() > 1 {
			continue // losses already
		}
		loss[k] = make([]float64, n)
		m.loss.EvalTo(loss[k], make([]float64, n), margin, t.Target)
	}
	if cost = worstGroupCost(t.Rows, loss, c.MinGroupSize); cost == nil {
		return nil, "no group has rows enough", nil
	}
	cost.Columns, cost.Used, cost.logLoss = out, n, c.Loss == "logistic"
	if e := m.Encoder.Target; c.Loss == "squared" && c.TargetTransform == "" {
		cost.MeanError, cost.target = 2*e.Scale*e.Scale, e.Name
	}
	return cost, "", nil
}

// worstGroupCost compares the mean losses without and with columns in the group where the mean
// without them is largest; nil without a group of at least least rows.
func worstGroupCost(r level.Rows, loss [2][]float64, least int) *GroupFeatureCost {
	groups := len(r.Labels)
	count, mass := make([]int, groups), make([]float64, groups)
	mean := [2][]float64{make([]float64, groups), make([]float64, groups)}
	for j, g := range r.Group {
		if g >= 0 {
			count[g]++
			mass[g] += r.Weight(j)
			for k := range mean {
				mean[k][g] += r.Weight(j) * loss[k][j]
			}
		}
	}
	worst, eligible := -1, 0
	for g := range groups {
		for k := range mean {
			mean[k][g] /= mass[g]
		}
		if count[g] >= max(2, least) {
			if eligible++; worst < 0 || mean[0][g] > mean[0][worst] {
				worst = g
			}
		}
	}
	if worst < 0 {
		return nil
	}
	change, sum := mean[0][worst]-mean[1][worst], 0.0
	for j, g := range r.Group {
		if int(g) == worst {
			v := r.Weight(j) / mass[worst] * (loss[0][j] - loss[1][j] - change)
			sum += v * v
		}
	}
	n := float64(count[worst])
	quantile := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1 - 0.025/float64(eligible))
	half := quantile * math.Sqrt(sum*n/(n-1))
	return &GroupFeatureCost{
		Group: r.Labels[worst], Rows: count[worst], Without: mean[0][worst], With: mean[1][worst],
		Interval: [2]float64{change - half, change + half},
	}
}

// String returns the cost as a sentence, in RMSE and the target's units where the loss is squared.
func (g *GroupFeatureCost) String() string {
	effect := "makes no measurable difference to"
	if g.Interval[0] > 0 {
		effect = "costs"
	} else if g.Interval[1] < 0 {
		effect = "helps"
	}
	what, without, with, interval := "mean loss", g.Without, g.With, g.Interval
	if g.logLoss {
		what = "log loss"
	}
	if g.MeanError > 0 {
		what = "RMSE (units of " + g.target + ")"
		without, with = math.Sqrt(g.MeanError*g.Without), math.Sqrt(g.MeanError*g.With)
		for k := range interval { // a² − b² = (a + b)(a − b)
			interval[k] *= g.MeanError / (without + with)
		}
	}
	them := "it"
	if len(g.Columns) > 1 {
		them = "them"
	}
	return fmt.Sprintf("Leaving %s out of the features %s the worst group, %s (%d of %d training rows): the %s of ERM there is %.3g without and %.3g with %s, out of fold (95 %% interval of the difference %s to %s).",
		printable.QuoteList(g.Columns, "and"), effect, g.Group, g.Rows, g.Used, what, without, with, them, formatSigned(interval[0]), formatSigned(interval[1]))
}

// formatSigned writes two digits of a number with a proper minus sign.
func formatSigned(v float64) string { return strings.Replace(fmt.Sprintf("%.2g", v), "-", "−", 1) }
