// Package report goes from a trained model, or from the predictions of any model in
// a table, to an evaluation and a report: what training, data and evaluation each
// know, put together.
//
//	cfg.KeepRows = true
//	model, err := train.Fit(ctx, cfg)
//	measured, err := report.Measure(ctx, model, report.DefaultOptions())
//	r, err := measured.Report()
//	err = page.WriteHTML(w, r)
//
// Measure takes the rows that the training held out, MeasureTable the rows of any
// table, Audit the predictions that a table holds. A model that was loaded knows no
// rows until train.Model.Rerun has split its table again.
//
// It may import train and eval and what stands below them; the command imports it.
// Start reading at measure.go.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package report
