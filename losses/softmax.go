package losses

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/internal/kernel"
	"github.com/drotrain/drotrain/memory"
)

// Softmax is the oracle of the losses of multinomial logistic regression with n rows z_j of d numbers and classes
// t_j in 0 … K−1:
//
//	f_j(X) = log Σ_c exp(z_jᵀX_c) − z_jᵀX_{t_j},   X ∈ R^{d×K}.
//
// The parameters are the entries of X, row after row: x[i·K+c] = X_ic. If the last column of the rows is the
// constant 1, the last K parameters are the intercepts. The slope of a sample consists of the K numbers p_jc − 1[c
// = t_j], so that ∇f_j = z_j slope_jᵀ. It implements dro.Oracle.
//
// A Softmax is immutable; its methods are safe for concurrent use on disjoint outputs. Its methods panic if a slice
// is shorter than they need, or a row or column is out of range.
type Softmax struct {
	n, d, classes int
	z             design.Matrix // n×d
	class         []int32       // n
}

// maxClasses is the largest number of classes of a Softmax.
const maxClasses = 10_000

// NewSoftmax returns the oracle of softmax regression on the rows of z. Row i has the class class[i], from 0 to
// classes − 1. It returns an error if the lengths do not agree, if there are fewer than 2 or more than 10 000 classes,
// if the rows are distributed over ranks, or if a class is out of range; the error names the first such row.
func NewSoftmax(z design.Matrix, class []int, classes int) (*Softmax, error) {
	if z == nil {
		return nil, errors.New("losses: the matrix is nil")
	}
	n, d := z.Dims()
	switch {
	case n < 1 || d < 1:
		return nil, fmt.Errorf("losses: the matrix has %d rows and %d columns; at least one of each is needed", n, d)
	case len(class) != n:
		return nil, fmt.Errorf("losses: there are %d class indices for %d rows", len(class), n)
	case classes < 2 || classes > maxClasses:
		return nil, fmt.Errorf("losses: there are %d classes; softmax regression supports 2 to %d", classes, maxClasses)
	case d > math.MaxInt32/classes:
		return nil, fmt.Errorf("losses: %d columns and %d classes give too many parameters", d, classes)
	}
	if of, ok := z.(shardedMatrix); ok && of.Rows() != nil {
		return nil, errors.New("losses: softmax regression needs all rows on one rank, but these rows are distributed " +
			"over several ranks")
	}
	own := make([]int32, n)
	for j, c := range class {
		if c < 0 || c >= classes {
			return nil, fmt.Errorf("losses: row %d has the class %d, but there are %d classes, numbered from 0", j, c, classes)
		}
		own[j] = int32(c)
	}
	return &Softmax{n: n, d: d, classes: classes, z: z, class: own}, nil
}

// Dims returns the number of samples n, the number of parameters d·K, and the length of a sample's slope, which is
// K.
func (s *Softmax) Dims() (n, d, slope int) { return s.n, s.d * s.classes, s.classes }

// Classes returns K.
func (s *Softmax) Classes() int { return s.classes }

// ClassOf returns t_j.
func (s *Softmax) ClassOf(j int) int { return int(s.class[j]) }

// A softmaxBuffer holds temporary vectors.
type softmaxBuffer struct {
	rows    []float64   // matrix entries of a block of rows
	numbers []float64   // for every class: parameters or their gradient, followed by margins
	byClass [][]float64 // parameters or their gradient, by class
	margins [][]float64 // margins of the block, or weights of its rows
	ones    []float64
}

// softmaxRows is the number of rows in a block.
const softmaxRows = 64

var softmaxPool = sync.Pool{New: func() any { return new(softmaxBuffer) }}

// buffer returns a buffer with d zeros for each class and with space for the margins of a block.
func (s *Softmax) buffer() *softmaxBuffer {
	b := softmaxPool.Get().(*softmaxBuffer)
	if size := s.classes * (s.d + softmaxRows); cap(b.numbers) < size {
		b.numbers = make([]float64, size)
	} else {
		b.numbers = b.numbers[:size]
	}
	clear(b.numbers[:s.classes*s.d])
	if b.ones == nil {
		b.ones = make([]float64, softmaxRows)
		for i := range b.ones {
			b.ones[i] = 1
		}
	}
	b.byClass, b.margins = b.byClass[:0], b.margins[:0]
	for c := range s.classes {
		b.byClass = append(b.byClass, b.numbers[c*s.d:(c+1)*s.d])
		at := s.classes*s.d + c*softmaxRows
		b.margins = append(b.margins, b.numbers[at:at+softmaxRows])
	}
	return b
}

// MarginsTo stores the K numbers z_jᵀV in margin[j·K:(j+1)·K] for j in [lo, hi), where V is the d×K matrix whose
// rows are in v.
func (s *Softmax) MarginsTo(margin, v []float64, lo, hi int) {
	b := s.buffer()
	defer softmaxPool.Put(b)
	k := s.classes
	for c, column := range b.byClass {
		for i := range column {
			column[i] = v[i*k+c]
		}
	}
	for ; lo < hi; lo += softmaxRows {
		end := min(lo+softmaxRows, hi)
		rows := design.Block(s.z, b.rows, lo, end)
		if _, dense := s.z.(*design.Dense); !dense {
			b.rows = rows
		}
		kernel.ManyMarginsTo(b.margins, rows, s.d, b.byClass, 0, end-lo)
		to := margin[lo*k : end*k]
		for c, m := range b.margins {
			for i, v := range m[:end-lo] {
				to[i*k+c] = v
			}
		}
	}
}

// AddGradTo adds Σ_j weight[j]·z_j slope_jᵀ over j in [lo, hi) to the d×K matrix whose rows are in dst.
func (s *Softmax) AddGradTo(dst, weight, slope []float64, lo, hi int) {
	b := s.buffer()
	defer softmaxPool.Put(b)
	k := s.classes
	ones := make([][]float64, k)
	for c := range ones {
		ones[c] = b.ones
	}
	for ; lo < hi; lo += softmaxRows {
		end := min(lo+softmaxRows, hi)
		from := slope[lo*k : end*k]
		for c, m := range b.margins {
			for i, w := range weight[lo:end] {
				m[i] = w * from[i*k+c]
			}
		}
		rows := design.Block(s.z, b.rows, lo, end)
		if _, dense := s.z.(*design.Dense); !dense {
			b.rows = rows
		}
		kernel.ManyAddRowsTo(b.byClass, rows, s.d, b.margins, ones, 0, end-lo)
	}
	for c, column := range b.byClass {
		for i, v := range column {
			dst[i*k+c] += v
		}
	}
}

// EvalTo stores f_j(X) in value[j] and its slope in slope[j·K:(j+1)·K] for j in [lo, hi). No exponential overflows.
// For the computed margins, values and slopes have a relative error of a few units of roundoff; there is no
// cancellation even if a sample is predicted with a probability near 1.
func (s *Softmax) EvalTo(value, slope, x []float64, lo, hi int) {
	s.MarginsTo(slope, x, lo, hi)
	k := s.classes
	for j := lo; j < hi; j++ {
		value[j] = softmaxTo(slope[j*k:(j+1)*k], int(s.class[j]))
	}
}

// softmaxTo replaces the margins m of a sample of class t by its slope, and returns its loss.
func softmaxTo(m []float64, t int) float64 {
	top := 0
	for c, v := range m {
		if v > m[top] {
			top = c
		}
	}
	lead, above := m[top], m[top]-m[t]
	kernel.ExpTo(m, m, lead, 1)
	others := compensatedSum(m, t) // sum of the exponentials except that of class t
	rest := others                 // without the largest exponential, which is 1
	if top != t {
		rest = compensatedSum(m, top)
	}
	total := 1 + rest
	for c := range m {
		m[c] /= total
	}
	m[t] = -others / total
	return above + math.Log1p(rest)
}

// compensatedSum returns the sum of v without entry out, exact to two units of roundoff (Kahan).
func compensatedSum(v []float64, out int) float64 {
	sum, lost := 0.0, 0.0
	for c, a := range v {
		if c == out {
			continue
		}
		y := a - lost
		t := sum + y
		lost = (t - sum) - y
		sum = t
	}
	return sum
}

// MultiplyByCurvature replaces the K numbers m in margin[j·K:(j+1)·K] with
//
//	weight[j]·(diag p_j − p_j p_jᵀ) m + response[j]·g_j⟨g_j, m⟩,
//
// for j in [lo, hi), where g_j is the slope that EvalTo stored, and p_j holds the probabilities at the same X.
func (s *Softmax) MultiplyByCurvature(margin, weight, response, slope []float64, lo, hi int) {
	k := s.classes
	for j := lo; j < hi; j++ {
		m, g, t := margin[j*k:(j+1)*k], slope[j*k:(j+1)*k], int(s.class[j])
		along := 0.0 // ⟨p, m⟩ − m_t = ⟨g, m⟩
		at := m[t]
		for c, v := range g {
			along += v * (m[c] - at)
		}
		w, r := weight[j], response[j]*along
		for c, v := range g {
			p := v
			if c == t {
				p = 1 + v
			}
			m[c] = w*p*(m[c]-at-along) + r*v
		}
	}
}

// CurvatureDiagonalTo stores weight[j]·∂²f_j/∂m_c² + response[j]·(∂f_j/∂m_c)² in dst[j] for j in [lo, hi), where m_c
// is the margin of class c.
func (s *Softmax) CurvatureDiagonalTo(dst []float64, c int, weight, response, slope []float64, lo, hi int) {
	for j := lo; j < hi; j++ {
		v := slope[j*s.classes+c]
		p := math.Abs(v)
		dst[j] = weight[j]*p*(1-p) + response[j]*v*v
	}
}

// SelectedGramTo stores Σ_k weight[k]·z zᵀ, where z is the row of the k-th listed sample, in the upper triangle of the
// row-major d×d matrix dst.
func (s *Softmax) SelectedGramTo(dst []float64, samples []int, weight []float64) {
	clear(dst)
	s.z.Select(samples).AddGramTo(dst, weight, 0, len(samples))
}

// SelectedSquaresTo stores Σ_k weight[k]·z_i², where z is the row of the k-th listed sample, in dst[i].
func (s *Softmax) SelectedSquaresTo(dst []float64, samples []int, weight []float64) {
	clear(dst)
	s.z.Select(samples).AddSquaresTo(dst, weight, 0, len(samples))
}

// ConstantsTo stores H_j = √2·‖z_j‖, the Lipschitz constant of f_j, and M_j = ½‖z_j‖², the Lipschitz constant of ∇f_j.
func (s *Softmax) ConstantsTo(lipschitz, smoothness, _ []float64) {
	ones := make([]float64, s.d)
	for i := range ones {
		ones[i] = 1
	}
	s.z.SquaredNormsTo(smoothness, ones, 0, s.n)
	for j, square := range smoothness {
		lipschitz[j], smoothness[j] = math.Sqrt(2*square), square/2
	}
}

// Select returns the oracle over a copy of the given samples, in their order.
func (s *Softmax) Select(samples []int) Samples {
	class := make([]int32, len(samples))
	for i, j := range samples {
		class[i] = s.class[j]
	}
	return &Softmax{n: len(samples), d: s.d, classes: s.classes, z: s.z.Select(samples), class: class}
}

// Prefix returns the oracle over the first n samples, without copying them. n must not exceed the number of
// samples.
func (s *Softmax) Prefix(n int) Samples {
	first := *s
	first.n = n
	return &first
}

// Work estimates, in the units of Linear.Work, the costs of a pass and of all classes' Gram matrices.
func (s *Softmax) Work() (pass, gram float64) {
	const many = 0.4 // cost of a product for one vector if there are several
	pass, gram = s.z.Work()
	rows, _ := s.z.Dims()
	k := float64(s.classes) * float64(s.n) / float64(rows)
	return many * k * pass, k * gram
}

// Bytes returns the memory in bytes that the rows of the samples take.
func (s *Softmax) Bytes() int64 {
	rows, _ := s.z.Dims()
	return s.z.Bytes() / int64(rows) * int64(s.n)
}

// NonNegative returns true: every f_j is ≥ 0.
func (*Softmax) NonNegative() bool { return true }

// Arena returns the arena for vectors with one entry for each sample; nil means the heap.
func (s *Softmax) Arena() *memory.Arena {
	if z, ok := s.z.(mappedMatrix); ok {
		return z.Arena()
	}
	return nil
}

// MaxSelected returns the maximum number of samples that Select accepts.
func (s *Softmax) MaxSelected() int {
	if z, ok := s.z.(mappedMatrix); ok {
		return min(s.n, z.MaxSelected())
	}
	return s.n
}

// Rounding describes the rounding of losses and margins, as saddle.Rounded requires. The K margins of a sample are
// measured by the maximum norm, and its slopes by the sum of absolute values: |f(m+δ) − f(m)| ≤ ‖slope‖₁‖δ‖∞ +
// ½‖δ‖²∞ and ‖slope‖₁² ≤ 2f, which corresponds to a smoothness of 1 for a single margin. Four additional products
// account for the rounding of the differences of margins in the exponents.
func (s *Softmax) Rounding() (terms int, largest []float64, smoothness float64) {
	of := s.z.Largest()
	largest = make([]float64, 0, s.d*s.classes)
	for _, v := range of {
		for range s.classes {
			largest = append(largest, v)
		}
	}
	return s.z.Terms() + 4, largest, 1
}
