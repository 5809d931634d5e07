package train

import "github.com/drotrain/drotrain/dro"

// Choose returns the method that Auto stands for on n rows and d columns with the
// given ν, and why, in words.
func Choose(nu float64, n, d int) (dro.Method, string) { return choose(nu, n, d) }
