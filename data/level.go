package data

import (
	"strconv"

	"github.com/drotrain/drotrain/data/internal/table"
)

// levelOfNumber returns the level that a number stands for in a category that
// training took as the given kind: where training had bools, 0 and 1 read as
// false and true.
func levelOfNumber(trained Kind, v float64) string {
	if trained == Bool && (v == 0 || v == 1) {
		return strconv.FormatBool(v == 1)
	}
	return table.FormatNumber(v)
}

// levelOfText returns the level that a text stands for in a category that
// training took as the given kind: where training had bools, the usual ways to
// write one read as such.
func levelOfText(trained Kind, text string) string {
	if trained == Bool {
		if v, ok := table.ParseBool(text); ok {
			return strconv.FormatBool(v)
		}
	}
	return text
}
