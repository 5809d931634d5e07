package mutate

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// own is the form of a mutant in a list.
var own = regexp.MustCompile(`^(\S+):(\d+) (.+?) → (.*)$`)

// Own reads mutants of one's own, one a line, "dro/solve.go:12 old → new": a text that is
// there once in that line, and what takes its place, "(nothing)" for nothing. Empty lines
// and those that begin with # are passed over.
func Own(root, list string) (sites []Site, err error) {
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, of := ownSite(root, line)
		if of != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", line, of))
		}
		sites = append(sites, s)
	}
	return sites, err
}

func ownSite(root, line string) (Site, error) {
	m := own.FindStringSubmatch(line)
	if m == nil {
		return Site{}, errors.New("it is not of the form file:line old → new")
	}
	file, old, with := m[1], m[3], strings.TrimSpace(m[4])
	if with == "(nothing)" {
		with = ""
	}
	number, err := strconv.Atoi(m[2])
	if err != nil {
		return Site{}, err
	}
	source, err := os.ReadFile(root + "/" + file)
	if err != nil {
		return Site{}, err
	}
	lines := strings.SplitAfter(string(source), "\n")
	if number < 1 || number > len(lines) {
		return Site{}, fmt.Errorf("%s has %d lines", file, len(lines))
	}
	code := lines[number-1]
	if n := strings.Count(code, old); n != 1 {
		return Site{}, fmt.Errorf("%q is there %d times in %s", old, n, strings.TrimSpace(code))
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.SkipObjectResolution)
	if err != nil {
		return Site{}, err
	}
	from := len(strings.Join(lines[:number-1], "")) + strings.Index(code, old)
	s := []Site{{alone: true}}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			if in := inside(files, f); in.body <= from && from+len(old) <= in.end {
				s[0] = in
				s[0].From, s[0].To, s[0].place = from, from+len(old), in.body // where no statement holds it
				placed(files, f, s)
			}
		}
	}
	s[0].File, s[0].Line, s[0].Kind, s[0].From, s[0].To = file, number, "own", from, from+len(old)
	s[0].Old, s[0].New, s[0].Code = old, with, strings.TrimSpace(code)
	s[0].dir, s[0].pkg = path.Dir(file), parsed.Name.Name
	return s[0], nil
}
