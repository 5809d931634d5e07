// Command site writes the documentation as static pages, with a menu and no scripts:
//
//	go -C docs/site run . -out DIR
//
// The pages and their order are in pages.go. Links between pages become links of the
// site, those to other files of the repository lead to it; one that leads nowhere is an
// error. It is a module of its own, so that the Markdown library is not among the
// requirements of the product.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", "", "directory to write to; it must be empty or not exist")
	root := flag.String("root", "../..", "the repository")
	source := flag.String("source", "https://github.com/drotrain/drotrain/blob/main/", "where files that are no pages are shown")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	n, err := write(*root, *out, *source)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("wrote  %d pages to %s\n", n, *out)
}

// write writes the site of the repository at root.
func write(root, out, source string) (int, error) {
	if left, _ := os.ReadDir(out); len(left) > 0 {
		return 0, fmt.Errorf("%s is not empty", out)
	}
	s := &site{root: root, source: source, images: map[string]bool{}}
	var problems []error
	rendered := map[string][]byte{}
	for _, p := range pages {
		b, err := s.render(p)
		if err != nil {
			problems = append(problems, err)
		}
		rendered[p.html()] = b
	}
	if problems != nil {
		return 0, fmt.Errorf("%d pages with problems: %w", len(problems), problems[0])
	}
	rendered["style.css"] = style
	for image := range s.images {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(image)))
		if err != nil {
			return 0, err
		}
		rendered[image] = b
	}
	for name, b := range rendered {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return 0, err
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			return 0, err
		}
	}
	return len(pages), nil
}
