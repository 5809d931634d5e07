package saddle

import (
	"fmt"
	"math"
	"testing"
)

func TestCertificateArithmetic(t *testing.T) {
	c := Certificate{Upper: 2, Lower: 1.5}
	if c.Gap() != 0.5 || c.Relative() != 0.25 {
		t.Errorf("gap %v, relative %v", c.Gap(), c.Relative())
	}
	if unknown := (Certificate{Upper: 1, Lower: math.Inf(-1)}); !math.IsInf(unknown.Relative(), 1) {
		t.Errorf("relative gap %v without a lower bound", unknown.Relative())
	}
	if small := (Certificate{Upper: 1e-14, Lower: 0}); small.Relative() != 1e-2 {
		t.Errorf("relative gap %v near zero", small.Relative())
	}
	for s := NotSolved; s <= Inconsistent; s++ {
		if fmt.Sprint(s) == "" {
			t.Error("a status without a name")
		}
	}
}
