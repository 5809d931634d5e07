package kernel

import (
	"os"
	"regexp"
	"testing"
)

// Registers from 16 on would make an instruction one of AVX-512, which the
// processors that avx2 is true for need not have.
func TestAssembly_IsAVX2(t *testing.T) {
	source, err := os.ReadFile("asm_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	if line := regexp.MustCompile(`(?m)^.*\b(Z\d+|[XY](1[6-9]|[23]\d)|K[0-7])\b.*$`).Find(source); line != nil {
		t.Errorf("an AVX-512 instruction:\n%s", line)
	}
}
