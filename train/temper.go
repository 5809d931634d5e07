package train

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/tune"
)

// A SummaryTempered describes ERM with a slope and an intercept on its scores that minimise the robust objective. It
// shows how much of the robust model's advantage a mere change of confidence achieves.
type SummaryTempered struct {
	SummaryBaseline
	Slope float64 `json:"slope"` // slope on the scores of ERM; below 1, predictions are less confident

	// ExplainedRobust is the decrease in robust risk from ERM to the rescaled ERM, as a proportion of the decrease
	// from ERM to the model; null if there is no decrease, or if ERM and the model have different μ.
	ExplainedRobust *float64 `json:"explained_robust"`
	// RankCorrelation is Spearman's correlation of the scores of ERM and of the model on at most 100 000
	// training rows. If it is near 1, they order the rows alike.
	RankCorrelation *float64 `json:"rank_correlation"`
}

// maxRanked is the maximum number of rows on which a rank correlation is computed; its standard error is then at
// most 0.003.
const maxRanked = 100_000

// fitTempered fits the rescaled ERM under the adversary and the ridge penalty of the model. Its coefficients are a·x_ERM
// with a new intercept, so the problem has two parameters.
func (m *Model) fitTempered(ctx context.Context, oracle tune.Oracle, adversary dro.Dual, began time.Time) error {
	d, plain := m.Run.Train, m.Baseline
	direction := slices.Clone(plain)
	if d.Intercept >= 0 {
		direction[d.Intercept] = 0
	}
	norm := 0.0
	for _, v := range direction {
		norm += v * v
	}
	if norm = math.Sqrt(norm); !(norm > 0) || math.IsInf(norm, 1) {
		return nil
	}
	margin := memory.Make[float64](oracle.Arena(), d.N)
	defer memory.Release(oracle.Arena(), margin)
	m.Run.rows.Run(d.N, func(_, lo, hi int) { d.X.MarginsTo(margin, direction, lo, hi) })
	start := 0.0
	if d.Intercept >= 0 {
		start = plain[d.Intercept]
	}
	// The margins are divided by the norm, so that ½μ times the squared slope equals ½μ‖x‖².
	res, slope, intercept, err := m.solveAtMargins(ctx, "tempered",
		marginRows{margin, d.Target, m.Run.Weight, norm, start},
		adversary, m.regulariser(), m.solverOptions("tempered erm", began))
	if err != nil {
		return m.nameColumn(err)
	}
	m.Tempered = m.rescaleCoefficients(direction, slope, intercept)
	res.X = m.Tempered
	t := &SummaryTempered{SummaryBaseline: *m.summariseBaseline(oracle, adversary, *m.Config.Mu, res, false),
		Slope: res.X[indexOfLargest(direction)] / direction[indexOfLargest(direction)]}
	// if the values of μ differ, they also change the risks on the training rows
	isAlike := m.Result.ERM.Mu == *m.Config.Mu
	if decrease := m.Result.ERM.RobustRisk - m.Result.RobustRisk; isAlike &&
		decrease > 1e-9*math.Abs(m.Result.ERM.RobustRisk) {
		proportion := max(0, m.Result.ERM.RobustRisk-t.RobustRisk) / decrease
		t.ExplainedRobust = &proportion
	}
	score := memory.Make[float64](oracle.Arena(), d.N)
	defer memory.Release(oracle.Arena(), score)
	m.Run.rows.Run(d.N, func(_, lo, hi int) { d.X.MarginsTo(score, m.Coefficients, lo, hi) })
	t.RankCorrelation = finiteOrNil(rankCorrelation(m.Run.rows, margin, score, min(d.N, maxRanked)))
	m.Result.Tempered = t
	return nil
}

// rescaleCoefficients returns slope·x, with intercept added to the coefficient of the intercept, if there is one.
func (m *Model) rescaleCoefficients(x []float64, slope, intercept float64) []float64 {
	x = slices.Clone(x)
	for i := range x {
		x[i] *= slope
	}
	if k := m.Run.Train.Intercept; k >= 0 {
		x[k] += intercept
	}
	return x
}

// marginRows holds the margins, targets and weights of rows; nil weights are equal. size is the number by which
// solveAtMargins divides the margins, and start the intercept at which it starts.
type marginRows struct {
	margin, target, weight []float64
	size, start            float64
}

// solveAtMargins minimises the robust risk of the scores slope·margin + intercept, starting at slope 1 and
// intercept of.start. If the model has no intercept, it only fits the slope. The rows must be the training rows, or
// rows that are all in this process. The penalty applies to slope·size.
func (m *Model) solveAtMargins(
	ctx context.Context, part string, of marginRows, dual dro.Dual, primal dro.L2, s dro.Options,
) (res *dro.Result, slope, intercept float64, err error) {
	n, arena := len(of.margin), m.Run.disk.arena()
	size := of.size
	s.X0 = []float64{size}
	if m.Run.Train.Intercept >= 0 {
		s.X0 = append(s.X0, of.start)
	}
	columns := len(s.X0)
	first, end := m.Run.rows.LocalRange(n)
	rows := memory.Make[float64](arena, (end-first)*columns)
	defer memory.Release(arena, rows)
	m.Run.rows.Run(n, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			row := rows[(j-first)*columns:][:columns]
			row[0] = of.margin[j] / size
			if columns == 2 {
				row[1] = 1
			}
		}
	})
	local, err := design.NewDense(end-first, columns, rows)
	if err != nil {
		return nil, 0, 0, err
	}
	all, err := m.Run.shardMatrix(mapMatrix(arena, local))
	if err != nil {
		return nil, 0, 0, err
	}
	oracle, err := losses.NewLinear(m.loss, all, of.target)
	if err != nil {
		return nil, 0, 0, err
	}
	if res, err = m.solveOrResume(ctx, part, &dro.Problem{Oracle: oracle, Dual: dual, Primal: primal}, nil,
		s); err != nil {
		return nil, 0, 0, err
	}
	if columns == 2 {
		intercept = res.X[1]
	}
	return res, res.X[0] / size, intercept, nil
}

// indexOfLargest returns the index of the entry with the largest absolute value.
func indexOfLargest(v []float64) int {
	at := 0
	for i, a := range v {
		if math.Abs(a) > math.Abs(v[at]) {
			at = i
		}
	}
	return at
}
