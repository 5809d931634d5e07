package saddle

import "testing"

// bare is an oracle of 10 samples and 4 parameters that cannot tell what it costs; told
// is one that can.
type (
	bare struct{ Oracle }
	told struct{ Model }
)

func (bare) Dims() (n, d, slope int)    { return 10, 4, 1 }
func (told) Work() (pass, gram float64) { return 7, 3 }

func TestWorkOfAsksTheOracle(t *testing.T) {
	if pass, gram := WorkOf(told{}); pass != 7 || gram != 3 {
		t.Errorf("%v, %v of an oracle that says 7, 3", pass, gram)
	}
	if pass, gram := WorkOf(bare{}); pass != 40 || gram != 8 {
		t.Errorf("%v, %v of a dense matrix of 10 × 4", pass, gram)
	}
}
