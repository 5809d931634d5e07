package frame

import (
	"context"
	"strings"
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

// wantError checks that an error is there and holds every one of the parts.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q lacks %q", err, p)
		}
	}
}
