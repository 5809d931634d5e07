// Package notebooks holds notebooks in Go for GoNB, and the tests that keep them true:
// every cell compiles, here, and what a run prints is what is committed, where Jupyter
// and GoNB are. Start reading at README.md.
package notebooks
