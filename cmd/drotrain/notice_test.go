package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

// NOTICE names every module in the binary under its licence.
func TestNotice_NamesEveryModule(t *testing.T) {
	notice := contents(t, "../../NOTICE")
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) == 0 {
		t.Skip("this binary does not know its modules")
	}
	tests := map[string]bool{"github.com/rogpeppe/go-internal": true, "github.com/cpuguy83/go-md2man/v2": true,
		"github.com/russross/blackfriday/v2": true}
	for _, m := range info.Deps {
		if !tests[m.Path] && !strings.Contains(string(notice), m.Path) {
			t.Errorf("%s is not in NOTICE", m.Path)
		}
	}
}
