// Package resample computes the intervals of measures.
//
// A measure is a smooth function of sums of columns of the rows (columns.go), or of ranks
// (influence.go). The influence of a row is the derivative of the measure by that row's weight; the
// moments of the influences give the error of a measure and its interval (errors.go, student.go).
// Intervals of proportions and medians follow from counts (interval.go). Only what is not smooth
// is drawn: the calibration error (ece.go) and the largest deviation among groups (family.go).
//
// It knows rows and measures, and neither groups' names nor reports; eval imports it.
// Start reading at errors.go.
package resample
