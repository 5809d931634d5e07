package tune

import (
	"cmp"
	"slices"
)

// A GroupCandidate is a ridge κ for the coefficients that a step adds. It is compared out of fold with shared
// coefficients and with the design accepted before the step.
type GroupCandidate struct {
	Ridge  float64 `json:"ridge"`  // κ of the groups that the step adds
	Risk   float64 `json:"risk"`   // out-of-fold average of the losses
	Change float64 `json:"change"` // change in the average loss from that with shared coefficients
	SE     float64 `json:"se"`     // standard error of Change

	// change in the average loss from that with the design accepted before this step
	StepChange float64 `json:"step_change"`
	StepSE     float64 `json:"step_se"` // standard error of StepChange
}

// A GroupChoice is the choice between coefficients that all groups share and group coefficients. The first Taken
// steps are accepted, each with its best candidate. Its methods panic for a step that was not tried.
type GroupChoice struct {
	Shared float64            `json:"shared"` // out-of-fold average with shared coefficients
	Steps  [][]GroupCandidate `json:"steps"`  // candidates of every step that was tried
	// number of accepted steps; 0 means that all groups share their coefficients
	Taken int `json:"taken"`
}

// Best returns the candidate of a step with the smallest risk.
func (c *GroupChoice) Best(step int) GroupCandidate {
	return slices.MinFunc(c.Steps[step], func(a, b GroupCandidate) int { return cmp.Compare(a.Risk, b.Risk) })
}

// Ridges returns κ of every accepted step.
func (c *GroupChoice) Ridges() (out []float64) {
	for step := range c.Taken {
		out = append(out, c.Best(step).Ridge)
	}
	return out
}
