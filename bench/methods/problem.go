package methods

import (
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train"
)

// ProblemInfo says which problem a report is about.
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
func NewProblem(frame *data.Frame, cfg train.Config) (*dro.Problem, ProblemInfo, error) {
	info := ProblemInfo{Data: cfg.Data, Target: cfg.Target, Loss: cfg.Loss, Penalty: cfg.Penalty, Nu: cfg.Nu}
	task := data.Auto
	switch cfg.Loss {
	case "logistic":
		task = data.Binary
	case "squared", "huber":
		task = data.Regression
	}
	encoder, err := data.NewEncoder(frame, nil, data.Spec{
		Target: cfg.Target, Task: task, Features: cfg.Features, Drop: cfg.Drop, Groups: cfg.Groups,
		Categorical: cfg.Categorical, Positive: cfg.Positive, Scale: cfg.Scale, ScaleTarget: cfg.ScaleTarget,
		Intercept: cfg.Intercept, Impute: cfg.Impute,
	})
	if err != nil {
		return nil, info, err
	}
	set, _, err := encoder.Encode(frame, nil)
	if err != nil {
		return nil, info, err
	}
	info.N, info.D = set.N, set.D
	if info.Loss == "" {
		info.Loss = "squared"
		if encoder.Target.Task == data.Binary {
			info.Loss = "logistic"
		}
	}
	info.Mu = 1 / float64(set.N)
	if cfg.Mu != nil {
		info.Mu = *cfg.Mu
	}
	loss, err := losses.Parse(info.Loss, cfg.HuberDelta)
	if err != nil {
		return nil, info, err
	}
	oracle, err := losses.NewLinear(loss, set.X, set.Target)
	if err != nil {
		return nil, info, err
	}
	return &dro.Problem{Oracle: oracle, Dual: NewDual(info.Penalty, info.Nu),
		Primal: dro.L2{Mu: info.Mu, Intercept: cfg.Intercept, FreeModulus: loss.Smoothness()}}, info, nil
}

// NewDual returns the adversary on the simplex with the penalty kl or chi2.
func NewDual(penalty string, nu float64) dro.Dual {
	if penalty == "chi2" {
		return dro.ChiSquare{Nu: nu}
	}
	return dro.KL{Nu: nu}
}
