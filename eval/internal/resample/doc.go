// Package resample says how sure the measures of rows are.
//
// Measures are functions of sums of columns (columns.go) and of ranks (influence.go, normal_ranks.go); a
// multiplier bootstrap draws the sums (bootstrap.go), in a large group from their covariance (normal.go).
// Intervals follow from the moments of the rows' influences (student.go), are known from
// counts (interval.go) or, where a measure is no smooth function of sums, are quantiles of
// values in resamples (percentile.go); family.go finds how wide they must be to hold for
// all groups together.
//
// It knows rows and measures, and neither groups' names nor reports; eval imports it.
// Start reading at student.go and bootstrap.go.
package resample
