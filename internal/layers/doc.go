// Package layers declares which package of the repository may import which, as ARCHITECTURE.md shows. Its test
// checks the imports of every file. No package imports it.
package layers
