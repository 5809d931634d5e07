package tune

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/drotrain/drotrain/train/level"
)

const (
	powerSteps   = 20 // iterations towards the first principal direction of a class
	clusterSteps = 30 // maximum number of steps of Lloyd's algorithm
)

// InferGroups returns the rows of t with inferred groups. The rows of every class are divided into two groups by
// 2-means clustering of their features, which starts from the sign of the first principal component. A class in
// which one cluster would be empty is one group. If the target is not a class, InferGroups returns the rows
// unchanged.
func (t *Table) InferGroups() level.Rows {
	r := t.Rows
	if !t.hasClasses() {
		return r
	}
	r.Group, r.Labels = make([]int32, t.N), nil
	for class := range max(2, t.Outputs) {
		member, count := make([]float64, t.N), 0
		for j := range member {
			if t.classOf(j) == class {
				member[j] = 1
				count++
			}
		}
		if count == 0 {
			continue
		}
		second := t.splitInTwo(member)
		first := int32(len(r.Labels))
		r.Labels = append(r.Labels, fmt.Sprintf("class %d, cluster 1", class+1))
		two := false
		for j, in := range member {
			if in == 0 {
				continue
			}
			if r.Group[j] = first; second[j] {
				r.Group[j], two = first+1, true
			}
		}
		if two {
			r.Labels = append(r.Labels, fmt.Sprintf("class %d, cluster 2", class+1))
		}
	}
	return r
}

// classOf returns the class of row j, counted from 0.
func (t *Table) classOf(j int) int {
	if t.Outputs > 1 {
		return int(t.Target[j])
	}
	if t.Target[j] > 0 {
		return 1
	}
	return 0
}

// splitInTwo divides the rows with member 1 into two clusters, and reports for each row whether it is in the second
// cluster. If one cluster would be empty, all rows are in the first.
func (t *Table) splitInTwo(member []float64) []bool {
	_, d := t.X.Dims()
	margin, ones := make([]float64, t.N), make([]float64, t.N)
	for j := range ones {
		ones[j] = 1
	}
	sum := func(weight []float64) (total []float64) { // sum of weight·row over the rows
		total = make([]float64, d)
		t.X.AddRowsTo(total, weight, ones, 0, t.N)
		return total
	}
	size := 0.0
	for _, in := range member {
		size += in
	}
	mean := sum(member)
	for i := range mean {
		mean[i] /= size
	}
	const stream = 0x6b6d6e73
	rng := rand.New(rand.NewPCG(0, stream))
	x, weight := make([]float64, d), make([]float64, t.N)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for range powerSteps {
		t.X.MarginsTo(margin, x, 0, t.N)
		at, along := dot(mean, x), 0.0
		for j, in := range member {
			weight[j] = in * (margin[j] - at)
			along += weight[j]
		}
		x = sum(weight)
		norm := 0.0
		for i := range x {
			x[i] -= along * mean[i]
			norm += x[i] * x[i]
		}
		if norm = math.Sqrt(norm); !(norm > 0) || math.IsInf(norm, 1) {
			return make([]bool, t.N)
		}
		for i := range x {
			x[i] /= norm
		}
	}
	second, threshold := make([]bool, t.N), dot(mean, x)
	for range clusterSteps {
		t.X.MarginsTo(margin, x, 0, t.N)
		changed, count := false, 0.0
		for j, in := range member {
			is := in > 0 && margin[j] > threshold
			changed = changed || is != second[j]
			if second[j], weight[j] = is, 0; is {
				weight[j] = 1
				count++
			}
		}
		if count == 0 || count == size {
			return make([]bool, t.N)
		}
		if !changed {
			break
		}
		// centres: that of the second cluster, and the remainder of the mean
		high, threshold0, threshold1 := sum(weight), 0.0, 0.0
		for i := range x {
			low := (mean[i]*size - high[i]) / (size - count)
			high[i] /= count
			x[i] = high[i] - low
			threshold0, threshold1 = threshold0+low*low, threshold1+high[i]*high[i]
		}
		threshold = (threshold1 - threshold0) / 2
	}
	return second
}

// dot returns the scalar product.
func dot(a, b []float64) (s float64) {
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
