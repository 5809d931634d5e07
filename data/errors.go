package data

import (
	"fmt"
	"strings"
)

// An Error says what is wrong with a user's table and what would help.
type Error struct {
	Path   string // the file, or "" when no single file is to blame
	Column string // the column, or ""
	Row    int    // data row, counted from 1 within the file (header lines not counted); 0 for none
	Msg    string // what is wrong
	Hint   string // what to do, or ""
	Err    error  // the cause, or nil
}

// Error gives "path: column "x", row 7: what is wrong (what to do)".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path)
		b.WriteString(": ")
	}
	switch {
	case e.Column != "" && e.Row > 0:
		fmt.Fprintf(&b, "column %q, row %d: ", e.Column, e.Row)
	case e.Column != "":
		fmt.Fprintf(&b, "column %q: ", e.Column)
	case e.Row > 0:
		fmt.Fprintf(&b, "row %d: ", e.Row)
	}
	b.WriteString(e.Msg)
	if e.Err != nil {
		if e.Msg != "" {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
