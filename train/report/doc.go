// Package report evaluates a trained model, or the predictions of any model in a table, and makes a report from
// information about the training run, the data and the evaluation.
//
//	cfg.KeepRows = true
//	model, err := train.Fit(ctx, cfg)
//	measured, err := report.Measure(ctx, model, report.DefaultOptions())
//	r, err := measured.Report()
//	err = page.WriteHTML(w, r)
//
// Measure evaluates a model on the rows that training held out, MeasureTable on the rows of any table, and
// Audit evaluates the predictions that a table contains. A loaded model has no rows until train.Model.Rerun has
// split its table again.
//
// The package may import train, eval and the packages below them; the command imports it. The best place to start
// reading is measure.go.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package report
