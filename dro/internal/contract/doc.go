// Package contract checks parts of a problem against the contracts of package saddle, at a few points. A solve
// checks parts from other modules, since a wrong slope or an invalid lower bound leads to bounds that do not
// contain the optimum. Packages oracletest and dualtest check all samples.
package contract

import "math"

// Slack is the rounding error that comparisons allow, relative to the terms.
const Slack = 1e-7

// isNotFinite reports whether v is NaN or infinite.
func isNotFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
