package train

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/shard"
	"github.com/drotrain/drotrain/memory"
	"github.com/drotrain/drotrain/train/tune"
)

// coefficientsPerColumn returns the number of coefficients for each encoded column: the number of classes if there
// are more than two, and 1 otherwise.
func (m *Model) coefficientsPerColumn() int {
	if m.Encoder == nil {
		return 1
	}
	return m.Encoder.Target.Outputs()
}

// Classes returns the classes of a target with more than two, in the order of the coefficients of a column, and
// nil for other targets.
func (m *Model) Classes() []string {
	if m.Encoder == nil {
		return nil
	}
	return m.Encoder.Target.Classes
}

// predictClasses works like PredictDataset for more than two classes.
func (m *Model) predictClasses(d *encode.Dataset, x []float64) (*Prediction, error) {
	k := m.coefficientsPerColumn()
	if len(x) != d.D*k {
		return nil, fmt.Errorf("train: the rows have %d encoded columns, but the model has %d coefficients for each class",
			d.D, len(x)/k)
	}
	target := d.Target
	if target == nil {
		target = make([]float64, d.N)
	}
	oracle, err := (&tune.Table{X: d.X, Target: target, Loss: m.loss, Outputs: k}).Oracle()
	if err != nil {
		return nil, err
	}
	arena := oracle.Arena()
	p := &Prediction{
		Rows: d.Rows, Dataset: d, Probability: memory.Make[float64](arena, d.N*k), Score: memory.Make[float64](arena, d.N),
		Class: memory.Make[int32](arena, d.N), Loss: memory.Make[float64](arena, d.N),
	}
	if d.Target != nil {
		p.Rank = memory.Make[int32](arena, d.N)
	}
	shard.Run(d.N, func(_, lo, hi int) {
		oracle.EvalTo(p.Loss, p.Probability, x, lo, hi)
		for j := lo; j < hi; j++ {
			row, t := p.Probability[j*k:(j+1)*k], int(target[j])
			row[t]++ // add back the 1 that the slope subtracts
			p.Class[j] = int32(floats.MaxIdx(row))
			p.Score[j] = row[p.Class[j]]
			if d.Target != nil {
				p.Score[j], p.Rank[j] = row[t], 1
				for c, v := range row {
					if v > row[t] || v == row[t] && c < t {
						p.Rank[j]++
					}
				}
			}
		}
	})
	if d.Target == nil {
		memory.Release(arena, p.Loss)
		p.Loss = nil
	}
	return p, nil
}

// maxProbabilities is the maximum number of classes for which a prediction has a column for each class. If there
// are more, it has columns for the bestClasses most probable ones.
const (
	maxProbabilities = 20
	bestClasses      = 5
)

// classColumns returns the predicted class and the probability of each class or, if there are many, the most
// probable classes with their probabilities.
func classColumns(classes []string, p *Prediction) []data.Column {
	k := len(classes)
	var out []data.Column
	number := func(name string, at func(j int) float64) {
		c := numberColumn(name, make([]float64, len(p.Class)))
		for j := range c.Number {
			c.Number[j] = at(j)
		}
		out = append(out, c)
	}
	label := func(name string, code []int32) {
		out = append(out, data.Column{Name: name, Type: "string", Kind: data.Categorical, Level: classes, Code: code})
	}
	if k <= maxProbabilities {
		for c, class := range classes {
			number(probabilityName+"_"+class, func(j int) float64 { return p.Probability[j*k+c] })
		}
	} else {
		best := make([][]int32, bestClasses)
		for i := range best {
			best[i] = make([]int32, len(p.Class))
		}
		for j := range p.Class {
			left := slices.Clone(p.Probability[j*k : (j+1)*k])
			for i := range best {
				at := floats.MaxIdx(left)
				best[i][j], left[at] = int32(at), -1
			}
		}
		for i, code := range best {
			label(fmt.Sprintf("class_%d", i+1), code)
			number(fmt.Sprintf("%s_%d", probabilityName, i+1), func(j int) float64 { return p.Probability[j*k+int(code[j])] })
		}
	}
	label(predictionName, p.Class)
	return out
}

// predictionNames returns the names of the columns that predictionColumns adds to the kept ones, in no particular order,
// and the name of the column of reasons, if o requests it.
func (m *Model) predictionNames(o *BlockOptions) []string {
	names := []string{rowName, predictionName}
	switch classes := m.Classes(); {
	case classes != nil:
		for _, c := range classColumns(classes, &Prediction{}) {
			names = append(names, c.Name)
		}
	case m.Encoder.Target.Task == encode.Binary:
		names = append(names, probabilityName)
	}
	if o.Margins && m.Classes() == nil {
		names = append(names, marginName)
	} else if o.Margins {
		for _, class := range m.Classes() {
			names = append(names, marginName+"_"+class)
		}
	}
	if o.NullInvalid {
		names = append(names, reasonName)
	}
	return names
}
