package data

import (
	"testing"
)

func frameOf(t testing.TB, csv string) *Frame {
	t.Helper()
	f := readBytes(t, "t.csv", []byte(csv))
	return f
}
