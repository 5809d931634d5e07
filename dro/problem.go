package dro

// A Problem is min over x, max over y in Dual of ⟨y, f(x)⟩ − ψ(y) + φ(x).
type Problem = struct {
	Oracle Oracle
	Dual   Dual
	Primal Primal
}
