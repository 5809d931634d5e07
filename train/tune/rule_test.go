package tune

import (
	"math"
	"testing"
)

// The reason for ERM distinguishes candidates that improve too little, too uncertainly or at too high a cost.
func TestReasonForERM_Cases(t *testing.T) {
	const criterion = "the criterion, the risk of the worst tenth, by "
	erm := Candidate{Name: "ERM", Mu: 0.1, Value: 1, Average: 1}
	noisy := Candidate{Name: "noisy", Mu: 0.2, Value: 0.8, Improvement: 0.2, SE: 0.1}
	costly := Candidate{Name: "costly", Mu: 0.3, Value: 0.9, Improvement: 0.1, SE: 0.01, Cost: 0.2}
	small := Candidate{Name: "small", Mu: 0.4, Value: 0.999, Improvement: 0.001, SE: 0.0001, Cost: -0.1}
	for _, c := range []struct {
		candidates []Candidate
		budget     float64
		improving  int
		want       string
	}{
		{[]Candidate{erm, noisy}, 0, 0, "the other candidate does not lower " + criterion + "2.5 standard errors"},
		{[]Candidate{erm, noisy, noisy}, 0, 0, "none of the 2 other candidates lowers " + criterion + "2.5 standard errors"},
		{[]Candidate{erm, costly}, 0, 1, "the other candidate lowers " + criterion +
			"2.5 standard errors, but may raise the average risk by more than the budget of 0.0\u00a0%"},
		{[]Candidate{erm, costly, noisy}, 0.01, 1, "1 of the 2 other candidates lowers " + criterion +
			"2.5 standard errors, but may raise the average risk by more than the budget of 1.0\u00a0%"},
		{[]Candidate{erm, costly, small}, 0, 2, "the best other candidate within the budget for the average risk, small with " +
			"μ = 0.4, does not lower " + criterion + "both 2.5 standard errors and 0.5\u00a0%"},
		{[]Candidate{erm, noisy, small}, math.Inf(1), 1, "the best other candidate, noisy with μ = 0.2, does not lower " +
			criterion + "both 2.5 standard errors and 0.5\u00a0%"},
	} {
		run := &selectionRun{Selection: &Selection{Criterion: "tail", Candidates: c.candidates}, budget: c.budget}
		if got := run.reasonForERM(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if got := run.CountImproving(); got != c.improving {
			t.Errorf("%d improving candidates, want %d", got, c.improving)
		}
	}
}
