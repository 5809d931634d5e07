package tune

import (
	"cmp"
	"slices"
)

// A GroupCandidate is the out-of-fold comparison of one ridge with shared coefficients and with what was taken before.
type GroupCandidate struct {
	Ridge  float64 `json:"ridge"`  // κ of the groups that the step adds
	Risk   float64 `json:"risk"`   // out-of-fold average of the losses
	Change float64 `json:"change"` // of the average, against the shared coefficients
	SE     float64 `json:"se"`     // standard error of Change

	StepChange float64 `json:"step_change"` // of the average, against the design taken before this step
	StepSE     float64 `json:"step_se"`     // standard error of StepChange
}

// A GroupChoice is the choice between coefficients that all groups share and coefficients of groups. The steps that
// are taken are the first Taken ones, each with its best candidate. Its methods panic for a step that was not tried.
type GroupChoice struct {
	Shared float64            `json:"shared"` // out-of-fold average with shared coefficients
	Steps  [][]GroupCandidate `json:"steps"`  // the candidates of every step that was tried
	Taken  int                `json:"taken"`  // number of steps; 0: all groups share their coefficients
}

// Best returns the candidate of a step with the smallest risk.
func (c *GroupChoice) Best(step int) GroupCandidate {
	return slices.MinFunc(c.Steps[step], func(a, b GroupCandidate) int { return cmp.Compare(a.Risk, b.Risk) })
}

// Ridges returns κ of every step that is taken.
func (c *GroupChoice) Ridges() (out []float64) {
	for step := range c.Taken {
		out = append(out, c.Best(step).Ridge)
	}
	return out
}
