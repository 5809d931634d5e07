package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestCommandLine_RefusesUnknownStudies(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"", 2, "theory"},
		{"nothing", 2, `no experiment "nothing"`},
		{"theory -h", 0, "-quick"},
		{"theory -quik", 2, "-quik"},
		{"theory now", 2, `"now"`},
		{"methods -penalty js", 2, "must be kl, chi2 or tv"},
	} {
		var b bytes.Buffer
		if code := run(context.Background(), strings.Fields(c.args), &b); code != c.code ||
			!strings.Contains(b.String(), c.says) {
			t.Errorf("%q: code %d, want %d; said\n%s", c.args, code, c.code, &b)
		}
	}
}
