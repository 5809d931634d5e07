package train

import (
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// What a Config means, in the words of packages data, losses and dro: written
// here and nowhere else.

// Spec is the part of the configuration that encodes columns.
func (c Config) Spec() data.Spec {
	task := data.Auto
	switch c.Loss {
	case "logistic":
		task = data.Binary
	case "squared", "huber":
		task = data.Regression
	}
	return data.Spec{
		Target: c.Target, Task: task, Features: c.Features, Drop: c.Drop, Groups: c.Groups,
		Categorical: c.Categorical, Positive: c.Positive, Scale: c.Scale, ScaleTarget: c.ScaleTarget,
		Intercept: c.Intercept, Impute: c.Impute,
	}
}

// Resolve returns the configuration with what depends on the data filled in: the
// loss, by the task, and μ, 1/n for n training rows.
func (c Config) Resolve(task data.Task, n int) Config {
	if c.Loss == "" {
		c.Loss = "squared"
		if task == data.Binary {
			c.Loss = "logistic"
		}
	}
	if c.Mu == nil {
		mu := 1 / float64(n)
		c.Mu = &mu
	}
	return c
}

// Problem returns the robust problem of a resolved configuration on the rows of d.
func (c Config) Problem(d *data.Dataset) (*dro.Problem, error) {
	loss, err := losses.Parse(c.Loss, c.HuberDelta)
	if err != nil {
		return nil, err
	}
	oracle, err := losses.NewLinear(loss, d.X, d.Target)
	if err != nil {
		return nil, err
	}
	return &dro.Problem{Oracle: oracle, Dual: c.Adversary(), Primal: c.regulariser(loss)}, nil
}

// Adversary is the dual side: the simplex with the penalty at ν.
func (c Config) Adversary() dro.Mirror {
	if c.Penalty == "chi2" {
		return dro.ChiSquare{Nu: c.Nu}
	}
	return dro.KL{Nu: c.Nu}
}

// regulariser is the primal side of a resolved configuration.
func (c Config) regulariser(loss losses.Loss) dro.L2 {
	return dro.L2{Mu: *c.Mu, Intercept: c.Intercept, FreeModulus: loss.Smoothness()}
}
