package train

import (
	"errors"
	"fmt"
)

// Why a training that ended has not certified what was asked, for errors.Is on
// Summary.Uncertified. ErrInconsistent is the only one whose bounds are void.
var (
	ErrLimit        = errors.New("the passes allowed were used up")
	ErrStalled      = errors.New("no further progress is possible in double precision")
	ErrInconsistent = errors.New("the bounds contradict each other")
	ErrNoBound      = errors.New("mu is 0 and the data leave coefficients open: there is no bound")
	ErrCancelled    = errors.New("the training was cancelled")
)

// An UncertifiedError says how far a training came.
type UncertifiedError struct {
	Status      string   // of the Summary
	RelativeGap *float64 // what is proved; nil: nothing
	cause       error
}

func (e *UncertifiedError) Error() string {
	if e.RelativeGap == nil {
		return fmt.Sprintf("not certified: %v", e.cause)
	}
	return fmt.Sprintf("not certified: %v at a relative gap of %.2g", e.cause, *e.RelativeGap)
}

// Unwrap returns the reason, one of ErrLimit, ErrStalled, …
func (e *UncertifiedError) Unwrap() error { return e.cause }

// Uncertified returns nil for a model whose gap was certified, and otherwise an
// *UncertifiedError. A limit is no error of Fit, for the model is of use and says what
// it is worth; a service that insists on a certificate asks here.
func (s *Summary) Uncertified() error {
	if s.Certified {
		return nil
	}
	cause, ok := map[string]error{
		"limit": ErrLimit, "stalled": ErrStalled, "inconsistent": ErrInconsistent, "uncertified": ErrNoBound, "cancelled": ErrCancelled,
	}[s.Status]
	if !ok {
		cause = fmt.Errorf("the status is %q", s.Status)
	}
	return &UncertifiedError{s.Status, s.Certificate.RelativeGap, cause}
}
