// Package evaltest makes inputs and reports for tests, which alone import it: the
// fixture that scikit-learn and fairlearn have measured, a full report of it, and
// synthetic rows. Start reading at fixture.go.
package evaltest
