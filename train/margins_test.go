package train

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train/level"
)

// Margins are log-odds, logarithms of counts, or numbers whose softmax is the probabilities. They stay finite if a
// probability is 1.
func TestPredictBlocks_Margins(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,two,three,count,value\n")
	for i := range 120 {
		x := math.Sin(float64(i))
		fmt.Fprintf(&b, "%v,%d,%c,%d,%v\n", x, (i+int(3*x)+9)%3%2, 'a'+(i/2+int(2*x)+4)%3, int(3+2*x)+i%2, x+0.1*float64(i%5))
	}
	f := readCSV(t, "t.csv", b.String())
	far := readCSV(t, "far.csv", "x\n0.5\n-0.25\n400\n")
	for _, c := range []struct {
		target, loss string
		link         func(margins []float64) float64 // the prediction, or the probability of the first class
		names        []string
	}{
		{"two", "logistic", func(m []float64) float64 { return 1 / (1 + math.Exp(-m[0])) }, []string{"margin"}},
		{"count", "poisson", func(m []float64) float64 { return math.Exp(m[0]) }, []string{"margin"}},
		{"three", "logistic", func(m []float64) float64 {
			return 1 / (1 + math.Exp(m[1]-m[0]) + math.Exp(m[2]-m[0]))
		}, []string{"margin_a", "margin_b", "margin_c"}},
		{"value", "squared", nil, nil},
	} {
		cfg := keepingRows()
		cfg.Target, cfg.Loss, cfg.Features, cfg.Nu = c.target, c.loss, []string{"x"}, level.At(1)
		m := fitFrame(t, f, cfg)
		columns := map[string][]float64{}
		_, err := m.PredictBlocks(t.Context(), far, BlockOptions{Margins: true}, func(all []data.Column) error {
			for _, column := range all {
				columns[column.Name] = column.Number
			}
			return nil
		})
		if c.link == nil {
			if err == nil {
				t.Errorf("%s: margins that are the predictions were written", c.target)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.target, err)
			continue
		}
		score := columns["probability"]
		for _, name := range []string{"probability_a", "prediction"} {
			if score == nil {
				score = columns[name]
			}
		}
		for i := range 3 {
			var margins []float64
			for _, name := range c.names {
				if columns[name] == nil {
					t.Fatalf("%s: no column %s", c.target, name)
				}
				margins = append(margins, columns[name][i])
			}
			if want := c.link(margins); !(math.Abs(score[i]-want) <= 1e-12*math.Max(1, want)) {
				t.Errorf("%s, row %d: the score is %v, of the margins %v", c.target, i, score[i], want)
			}
		}
	}
}

// A threshold is an error for a target that does not have two classes.
func TestPredictBlocks_ThresholdNeedsTwoClasses(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,two,three,value\n")
	for i := range 120 {
		x := math.Sin(float64(i))
		fmt.Fprintf(&b, "%v,%d,%c,%v\n", x, (i+int(3*x)+9)%3%2, 'a'+(i/2+int(2*x)+4)%3, x+0.1*float64(i%5))
	}
	f := readCSV(t, "t.csv", b.String())
	threshold := 0.4
	for target, isAllowed := range map[string]bool{"two": true, "three": false, "value": false} {
		cfg := keepingRows()
		cfg.Target, cfg.Features, cfg.Nu = target, []string{"x"}, level.At(1)
		m := fitFrame(t, f, cfg)
		_, err := m.PredictBlocks(t.Context(), f, BlockOptions{Threshold: &threshold},
			func([]data.Column) error { return nil })
		if isAllowed != (err == nil) {
			t.Errorf("%s: %v", target, err)
		}
	}
}
