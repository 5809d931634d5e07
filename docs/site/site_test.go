package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The site of this repository: every page of docs/ is in it, and every link inside it
// leads to a page, to an image and, where it names one, to a heading.
func TestSite(t *testing.T) {
	out := filepath.Join(t.TempDir(), "site")
	n, err := write("../..", out, "https://example.org/")
	if err != nil || n != len(pages) {
		t.Fatal(n, err)
	}
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if _, err := os.Stat(filepath.Join(out, "docs", strings.TrimSuffix(filepath.Base(d), ".md")+".html")); err != nil {
			t.Errorf("%s is not in pages.go", d)
		}
	}
	link := regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	for _, p := range pages {
		b, err := os.ReadFile(filepath.Join(out, p.html()))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			file := filepath.Join(out, filepath.Dir(p.html()), to)
			if to == "" {
				file = filepath.Join(out, p.html())
			}
			target, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%s: %s leads nowhere", p.file, m[1])
			} else if anchor != "" && !strings.Contains(string(target), `id="`+anchor+`"`) {
				t.Errorf("%s: there is no %s", p.file, m[1])
			}
		}
	}
	if _, err := write("../..", out, ""); err == nil {
		t.Error("a directory that is not empty was written to")
	}
}

func TestLinksThatLeadNowhere(t *testing.T) {
	s := &site{root: "../..", source: "https://example.org/", images: map[string]bool{}}
	for to, want := range map[string]string{
		"math.md#x": "../docs/math.html#x", "../README.md": "../index.html", "../go.mod": "https://example.org/go.mod", "https://go.dev": "https://go.dev", "#x": "#x",
	} {
		if got, err := s.destination(page{file: "docs/start.md"}, []byte(to), false); err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v", to, got, err)
		}
	}
	if _, err := s.destination(page{file: "docs/start.md"}, []byte("absent.md"), false); err == nil {
		t.Error("a link that leads nowhere was taken")
	}
}
