package methods

import (
	"context"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// A ProblemInfo describes the problem of a report.
type ProblemInfo struct {
	Data    string  `json:"data"`
	Target  string  `json:"target"`
	N       int     `json:"n"`
	D       int     `json:"d"`
	Loss    string  `json:"loss"`
	Penalty string  `json:"penalty"`
	Nu      float64 `json:"nu"`
	Mu      float64 `json:"mu"`
}

// NewProblem returns the robust problem that training with cfg on every row of
// the frame would solve, and a description of it.
func NewProblem(ctx context.Context, frame *data.Frame, cfg train.Config) (*dro.Problem, ProblemInfo, error) {
	problem, cfg, err := train.NewProblem(ctx, frame, cfg)
	if err != nil {
		return nil, ProblemInfo{}, err
	}
	n, d, _ := problem.Oracle.Dims()
	return problem, ProblemInfo{
		Data: cfg.Data, Target: cfg.Target, N: n, D: d,
		Loss: cfg.Loss, Penalty: cfg.Penalty, Nu: *cfg.Nu, Mu: *cfg.Mu,
	}, nil
}

// NewDual returns the adversary on the simplex with the penalty kl or chi2.
func NewDual(penalty string, nu float64) dro.Dual {
	dual, err := level.Level{Penalty: penalty, Nu: &nu}.Dual(level.Rows{})
	if err != nil {
		panic(err) // cannot fail: a penalty coefficient concerns no rows
	}
	return dual
}
