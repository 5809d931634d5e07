// Package words writes numbers, counts and lists as people read them: three or so
// significant digits, true minus signs, thin spaces between thousands, a plural where
// there are several.
//
// Whatever eval says in words imports it; it knows nothing of evaluations. Start
// reading at words.go.
package words
