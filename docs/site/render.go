package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed style.css
var style []byte

//go:embed page.gohtml
var layout string

var shell = template.Must(template.New("page").Parse(layout))

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

type site struct {
	root, source string
	images       map[string]bool // that pages show, by path from the root
}

// A part is a heading of the menu with its pages.
type part struct {
	Title string
	Links []link
}

type link struct {
	Title, Href string
	Here        bool
}

// render returns a page of the site.
func (s *site) render(p page) ([]byte, error) {
	src, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(p.file)))
	if err != nil {
		return nil, err
	}
	doc := markdown.Parser().Parse(text.NewReader(src))
	var problems []error
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			n.Destination, err = s.destination(p, n.Destination, false)
		case *ast.Image:
			n.Destination, err = s.destination(p, n.Destination, true)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", p.file, err))
		}
		return ast.WalkContinue, nil
	})
	if err := errors.Join(append(problems, err)...); err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, src, doc); err != nil {
		return nil, err
	}
	// Wide tables scroll in a box of their own, which the keyboard reaches.
	html := strings.NewReplacer("<table>", `<div class="wide" tabindex="0" role="region" aria-label="table"><table>`, "</table>", "</table></div>",
		"<pre>", `<pre tabindex="0">`).Replace(body.String())
	up := strings.Repeat("../", strings.Count(p.html(), "/"))
	var menu []part
	for _, other := range pages {
		if other.part != "" {
			menu = append(menu, part{Title: other.part})
		}
		last := &menu[len(menu)-1]
		last.Links = append(last.Links, link{other.title, up + other.html(), other == p})
	}
	var out bytes.Buffer
	err = shell.Execute(&out, map[string]any{"Title": p.title, "Up": up, "Menu": menu, "Body": template.HTML(html)})
	return out.Bytes(), err
}

// destination turns a link of a page into one of the site.
func (s *site) destination(p page, to []byte, image bool) ([]byte, error) {
	u, err := url.Parse(string(to))
	if err != nil {
		return nil, err
	}
	if u.Scheme != "" || u.Path == "" {
		return to, nil
	}
	file := path.Clean(path.Join(path.Dir(p.file), u.Path))
	if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(file))); err != nil {
		return nil, fmt.Errorf("the link to %s leads nowhere", u.Path)
	}
	anchor := ""
	if u.Fragment != "" {
		anchor = "#" + u.Fragment
	}
	up := strings.Repeat("../", strings.Count(p.html(), "/"))
	for _, other := range pages {
		if other.file == file {
			return []byte(up + other.html() + anchor), nil
		}
	}
	if image {
		s.images[file] = true
		return []byte(up + file), nil
	}
	return []byte(s.source + file + anchor), nil
}
