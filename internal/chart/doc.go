// Package chart draws the figures of reports and of the benchmarks: dot charts
// ([Dots], side by side in [Multiples]) and line charts ([Lines]), in one
// theme, as SVG, PNG or PDF, or as an SVG element for a page whose style sheet
// colours it. Start reading at drawing.go, then dots.go.
//
// It knows nothing of models or measures, and imports only gonum/plot's canvas
// and internal/printable; eval and bench import it.
package chart
