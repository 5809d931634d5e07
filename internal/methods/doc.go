// Package methods runs every method of package dro on one problem, beside baselines, and reports
// passes and seconds to certified gaps: `drotrain bench methods`. Start reading at methods.go.
//
// Work is counted in passes: one pass touches every sample once, for losses and slopes or for a
// weighted gradient by halves; checks and Hessians are counted. Every random choice comes from a
// seed, so that passes and iterations are the same on every machine; seconds are not.
package methods
