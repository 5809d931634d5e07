// Package notebooks holds Go notebooks for GoNB and the tests that check them: every cell must compile, and if
// Jupyter and GoNB are available, the output of a run must be equal to the committed output. The best place to
// start reading is README.md.
package notebooks
