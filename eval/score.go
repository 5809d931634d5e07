package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/losses"
)

// LossOfScores returns the losses of scores for any model, for Model.Loss. Binary targets are ±1 and their
// scores P(positive); the logistic loss is then −log of the probability given to the outcome, and the squared
// loss (y−p)²/2 with y in {0, 1}. For regression, score and target are in the same units. An outcome with
// probability 0 is counted with 2⁻⁵², a loss of 36 nats.
func LossOfScores(loss losses.Loss, task Task, target, score []float64) ([]float64, error) {
	if len(target) != len(score) {
		return nil, fmt.Errorf("eval: %d targets for %d scores", len(target), len(score))
	}
	if task == Multiclass {
		return nil, fmt.Errorf("eval: losses of more than two classes cannot be computed from scores: give them")
	}
	logistic := loss.Name() == "logistic"
	if kind, ok := losses.KindOf(loss.Name()); ok && !kind.Measures(task == Binary) {
		return nil, fmt.Errorf("eval: no %s loss for a %s task", loss.Name(), task)
	}
	out := make([]float64, len(score))
	if logistic {
		const least = 0x1p-52
		for i, p := range score {
			if target[i] < 0 {
				p = 1 - p
			}
			out[i] = -math.Log(min(max(p, least), 1-least))
		}
		return out, nil
	}
	if task == Binary {
		target = append([]float64(nil), target...)
		for i, t := range target {
			target[i] = max(0, t)
		}
	}
	loss.EvalTo(out, make([]float64, len(out)), score, target)
	return out, nil
}

// fillLosses computes missing losses from the scores, by LossName; the default is logistic for a binary target
// and squared for others.
func (in *Input) fillLosses() error {
	missing := func(m Model) bool { return m.Loss == nil && len(m.Score) > 0 }
	if !slices.ContainsFunc(in.Models, missing) {
		return nil
	}
	if in.LossName == "" {
		if in.LossName = losses.DefaultName(in.Task == Binary); in.Task == Binary {
			in.LossUnit = cmp.Or(in.LossUnit, "nats")
		}
	}
	if kind, ok := losses.KindOf(in.LossName); !ok || kind.HasDelta {
		return fmt.Errorf("eval: no losses are given, and %s needs more than scores: see LossOfScores", in.LossName)
	}
	loss, err := losses.Parse(in.LossName, 1)
	if err != nil {
		return err
	}
	in.Models = slices.Clone(in.Models)
	for k, m := range in.Models {
		if !missing(m) {
			continue
		}
		if in.Models[k].Loss, err = LossOfScores(loss, in.Task, in.Target, m.Score); err != nil {
			return err
		}
	}
	return nil
}
