package page

import (
	"bytes"
	"image/png"
	"path/filepath"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// TestGolden_Figures compares two figures with testdata, byte for byte, and checks that each can
// be written as SVG, PNG and PDF.
func TestGolden_Figures(t *testing.T) {
	for _, task := range []eval.Task{eval.Binary, eval.Regression} {
		r := evaltest.Sample(t, task)
		for i := range r.Evaluation.Models { // fewer numbers to the last digit
			r.Evaluation.Models[i].CVaR = r.Evaluation.Models[i].CVaR[len(r.Evaluation.Models[i].CVaR)/2:]
		}
		figs, err := Figures(r)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[eval.Task]int{eval.Binary: 5, eval.Regression: 5}[task]; len(figs) != want {
			t.Errorf("%d figures of %s, want %d", len(figs), task, want)
		}
		for _, f := range figs {
			got, err := f.SVG()
			if err != nil {
				t.Fatal(err)
			}
			if f.Alt == "" || f.Title == "" || f.Caption == "" {
				t.Errorf("%s lacks words", f.Name)
			}
			if !bytes.HasPrefix(got, []byte("<")) || bytes.Contains(got, []byte("NaN")) {
				t.Errorf("%s: not an SVG, or a NaN in it: %.100s", f.Name, got)
			}
			if task == eval.Binary && (f.Name == "risk-by-group" || f.Name == "calibration") {
				goldentest.Bytes(t, filepath.Join("testdata", f.Name+".svg"), got)
			}
			if task == eval.Regression {
				continue
			}
			p, err := f.PDF()
			if err != nil || !bytes.HasPrefix(p, []byte("%PDF")) {
				t.Errorf("%s.pdf: %v", f.Name, err)
			}
		}
		b, err := figs[0].PNG()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(b)); err != nil {
			t.Error(err)
		}
	}
}
