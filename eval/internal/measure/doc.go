// Package measure computes numbers of rows: the measures of a task over all rows or a
// group (measure.go, binary.go, regression.go), CVaR and the worst reweighting of the
// losses (cvar.go, worstcase.go), calibration, and the orders and divisions of the rows
// that these share (order.go, strata.go).
//
// Nothing here is uncertain, drawn or said in words: resample and eval, which import
// it, do that. Package eval exports what users of the library see of it (face.go). Start
// reading at rows.go.
package measure
