package train

import "fmt"

// An UncertifiedError reports that a training run ended without certifying the requested gap. It holds the reason and
// the gap that was reached.
type UncertifiedError struct {
	Status      string   // status in the Summary; the bounds are invalid if it is inconsistent
	RelativeGap *float64 // the proved relative gap; nil if there is no lower bound
}

// Error states the reason and the proved relative gap.
func (e *UncertifiedError) Error() string {
	why, known := map[string]string{
		"limit":        "the allowed number of passes was used up",
		"stalled":      "no further progress is possible in double precision",
		"inconsistent": "the bounds contradict each other",
		"uncertified":  "with mu = 0 a certificate exists only if the data determine every coefficient",
		"cancelled":    "the training was cancelled",
	}[e.Status]
	if !known {
		why = fmt.Sprintf("the status is %q", e.Status)
	}
	if e.RelativeGap == nil || e.Status == "inconsistent" {
		return "not certified: " + why
	}
	return fmt.Sprintf("not certified: %s; the proved relative gap is %.2g", why, *e.RelativeGap)
}

// Uncertified returns nil if the gap was certified, and otherwise an *UncertifiedError. Fit does not return
// this error, since an uncertified model is usable; a service that requires a certificate can check it here.
func (s *Summary) Uncertified() error {
	if s.Certified {
		return nil
	}
	return &UncertifiedError{s.Status, s.Certificate.RelativeGap}
}
