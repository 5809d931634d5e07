// Package layers holds which package of the repository may import which, as ARCHITECTURE.md
// draws it: its test reads the imports of every file. Nothing imports it.
package layers
