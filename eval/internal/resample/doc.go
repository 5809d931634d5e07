// Package resample says how sure the measures of rows are.
//
// A resample draws the rows of every group anew, or, in a large group, the sums that
// rows have, from their normal law (bootstrap.go, normal.go); measures are functions of
// sums of columns (columns.go) and of ranks (ranks.go, influence.go, normal_ranks.go).
// Intervals are quantiles of their values (percentile.go), or known without drawing
// (interval.go); family.go finds how wide they must be to hold for all groups together.
//
// It knows rows and measures, and neither groups' names nor reports; eval imports it.
// Start reading at bootstrap.go.
package resample
