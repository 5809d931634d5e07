package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/verify"
)

// TestCheckProof_RefusesAProofOfOtherWeights checks that a proof without a regulariser is only written if it proves the
// certificate.
func TestCheckProof_RefusesAProofOfOtherWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range 200 {
		fmt.Fprintf(&b, "%d,%d\n", i%17, 2*(i%17)+i*7%11)
	}
	put(t, "t.csv", b.String())
	cfg := train.DefaultConfig()
	cfg.Data, cfg.Target, cfg.Loss, cfg.Mu, cfg.Holdout = "t.csv", "y", "huber", level.At(0), 0
	cfg.Protect, cfg.KeepRows, cfg.KeepProof = level.At(0.3), true, true
	m, err := train.Fit(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Run.Close()
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	checked, err := verify.ReadModel(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Prove(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := checkProof(t.Context(), checked, m, p.Columns(checked.Identifier(), m.Sources)); err != nil {
		t.Fatalf("certified %v: %v", m.Result.Certified, err)
	}
	for i := range p.Weight { // equal weights prove a lower bound that is too low
		p.Weight[i] = 1 / float64(len(p.Weight))
	}
	var columns []data.Column = p.Columns(checked.Identifier(), m.Sources)
	if err := checkProof(t.Context(), checked, m, columns); err == nil || !strings.Contains(err.Error(),
		"no proof was written") {
		t.Errorf("a changed proof: %v", err)
	}
}
