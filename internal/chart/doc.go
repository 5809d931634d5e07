// Package chart draws the figures of reports and of the benchmarks: dot charts ([Dots], side by side in
// [Multiples]) and line charts ([Lines]), in one theme, as SVG, PNG or PDF, or as an SVG element for a page whose
// style sheet colours it. The best places to start reading are drawing.go and then dots.go.
//
// The package does not depend on models or measures. It imports only the canvas of gonum/plot and
// internal/printable; eval and bench import it.
package chart
