package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/drotrain/drotrain/losses"
)

// LossOfScores returns the losses of the scores of any model, for use as Model.Loss. Binary targets are ±1 and
// their scores P(positive); the logistic loss is then −log of the probability that the model assigned to the
// outcome, and the squared loss (y−p)²/2 with y in {0, 1}. For regression, score and target are in the same units;
// a loss with a link, such as losses.Poisson, is computed at the margin of the score. A probability of 0 for the
// outcome is replaced by 2⁻⁵², which yields a loss of 36 nats; a mean of 0 is replaced likewise. If the loss does
// not accept an entry, the error names the first such entry, counted from 0.
func LossOfScores(loss losses.Loss, task Task, target, score []float64) ([]float64, error) {
	if loss == nil {
		return nil, fmt.Errorf("eval: the loss is nil")
	}
	if len(target) != len(score) {
		return nil, fmt.Errorf("eval: there are %d targets for %d scores", len(target), len(score))
	}
	if task == Multiclass {
		return nil, fmt.Errorf("eval: losses of more than two classes cannot be computed from scores: pass the losses")
	}
	if kind, ok := losses.KindOf(loss.Name()); ok && !kind.Measures(task == Binary) {
		return nil, fmt.Errorf("eval: the %s loss does not exist for a %s task", loss.Name(), task)
	}
	out := make([]float64, len(score))
	meaning := loss.Meaning()
	if loss.Name() == "logistic" {
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
	margin := score
	if meaning.Link.Margin != nil {
		margin = make([]float64, len(score))
	}
	for i, t := range target {
		if !meaning.Classes && !meaning.Accepts(t) {
			return nil, fmt.Errorf("eval: the target of entry %d is %v, but the loss %s requires %s", i, t, loss.Name(),
				meaning.DescribeTargets())
		}
		if meaning.Link.Margin != nil {
			if margin[i] = meaning.Link.Margin(score[i]); math.IsNaN(margin[i]) {
				return nil, fmt.Errorf("eval: the score of entry %d is %v, which the loss %s cannot predict", i, score[i],
					loss.Name())
			}
		}
	}
	if meaning.Classes { // a loss for classes that the caller defines
		for i, t := range target {
			target[i] = 2*t - 1
		}
	}
	loss.EvalTo(out, make([]float64, len(out)), margin, target)
	return out, nil
}

// fillLosses computes missing losses from the scores, by the loss called LossName. The default is logistic for a
// binary target and squared otherwise.
func (in *Input) fillLosses() error {
	missing := func(m Model) bool { return m.Loss == nil && len(m.Score) > 0 }
	if !slices.ContainsFunc(in.Models, missing) {
		return nil
	}
	if in.LossName == "" {
		in.LossName = losses.DefaultName(in.Task == Binary)
		kind, _ := losses.KindOf(in.LossName)
		in.LossUnit = cmp.Or(in.LossUnit, kind.Unit)
	}
	if kind, ok := losses.KindOf(in.LossName); !ok || kind.HasDelta {
		return fmt.Errorf("eval: %s needs losses, not only scores: compute them with LossOfScores", in.LossName)
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

// AboutLoss describes the loss of the evaluation, as in "half the deviance of a Poisson count". It returns "the
// loss" if this program does not know the loss.
func (e *Evaluation) AboutLoss() string {
	kind, _ := losses.KindOf(e.Loss)
	return cmp.Or(kind.About, "the loss")
}
