package data

import (
	"context"
	"testing"
)

func frameOf(t testing.TB, csv string) *Frame {
	t.Helper()
	f, err := ReadBytes(context.Background(), "t.csv", []byte(csv))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
