package newton

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// fewPieceColumns is the minimum ratio of columns to pieces for which fewPieces solves the systems of an interior
// point.
const fewPieceColumns = 4

// A fewPieces solves the d×d systems of an interior point with K pieces, where K is much smaller than d. It uses
// the factor of H, which does not change, and one K×K matrix in each iteration (Woodbury). The matrix H + Jᵀ
// diag(w) J − Σ cross·crossᵀ/total is H + JᵀBᵀBJ, where B scales the pieces by √w and then removes from every part
// its component along √w. Its inverse is H⁻¹ − GᵀBᵀ(I + B(JGᵀ)Bᵀ)⁻¹BG with Gᵀ = H⁻¹Jᵀ.
type fewPieces struct {
	*quadratic
	back  [][]float64 // the K×d matrix G
	inner *mat.Dense  // the K×K matrix JGᵀ
	root  []float64   // of length K: √w
	total []float64   // Σ w of every part
	chol  mat.Cholesky
	piece []float64 // of length K: scratch memory
}

// newFewPieces returns a solver for a quadratic whose base is factorised.
func newFewPieces(s *quadratic) *fewPieces {
	k, d := len(s.v), len(s.g)
	f := &fewPieces{quadratic: s, inner: mat.NewDense(k, k, nil), root: make([]float64, k), piece: make([]float64, k)}
	for i := range k {
		clear(f.piece)
		f.piece[i] = 1
		row := make([]float64, d)
		s.j.AddTransposedTo(row, f.piece)
		s.base.Solve(row)
		f.back = append(f.back, row)
		s.j.TimesTo(f.inner.RawRowView(i), row)
	}
	return f
}

// factorise prepares the solver for the weights of an interior point. It returns false if the matrix is not
// positive definite.
func (f *fewPieces) factorise(in *interiorPoint) bool {
	k := len(f.root)
	f.total = in.total
	for i, w := range in.weight {
		f.root[i] = math.Sqrt(w)
	}
	var half, both mat.Dense // JGᵀBᵀ and BJGᵀBᵀ
	half.CloneFrom(f.inner)
	for i := range k {
		f.project(half.RawRowView(i))
	}
	both.CloneFrom(half.T())
	for i := range k {
		f.project(both.RawRowView(i))
	}
	m := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			m.SetSym(i, j, (both.At(i, j)+both.At(j, i))/2)
		}
		m.SetSym(i, i, m.At(i, i)+1)
	}
	return f.chol.Factorize(m)
}

// project overwrites v with Bv.
func (f *fewPieces) project(v []float64) {
	f.eachPart(func(part, lo, hi int) {
		along := 0.0
		for i := lo; i < hi; i++ {
			v[i] *= f.root[i]
			along += v[i] * f.root[i]
		}
		for i := lo; i < hi; i++ {
			v[i] -= along / f.total[part] * f.root[i]
		}
	})
}

// Solve implements solver.
func (f *fewPieces) Solve(v []float64) {
	f.base.Solve(v)
	f.j.TimesTo(f.piece, v) // JH⁻¹v
	f.project(f.piece)
	inner := mat.NewVecDense(len(f.piece), f.piece)
	if f.chol.SolveVecTo(inner, inner) != nil {
		return // the residuals show whether a step from an ill-conditioned system is usable
	}
	f.eachPart(func(part, lo, hi int) { // Bᵀ applies the projection, then √w
		along := 0.0
		for i := lo; i < hi; i++ {
			along += f.piece[i] * f.root[i]
		}
		for i := lo; i < hi; i++ {
			f.piece[i] = (f.piece[i] - along/f.total[part]*f.root[i]) * f.root[i]
		}
	})
	for i, b := range f.back {
		for c := range v {
			v[c] -= f.piece[i] * b[c]
		}
	}
}
