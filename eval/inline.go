package eval

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strings"
)

var (
	svgHead  = regexp.MustCompile(`(?s)^.*?<svg[^>]*viewBox="([^"]*)"[^>]*>`)
	svgFont  = regexp.MustCompile(`font-family:[^;"]*;font-variant:[^;"]*;font-weight:normal;font-style:[^;"]*;?`)
	svgSpace = regexp.MustCompile(`\n\s*`)
)

// inline returns the figure as an <svg> element for the page: colours as
// variables, so that the page's dark style reaches them; the font left to the
// page; a title and a description for those who do not see it.
func (f Figure) inline() (string, error) {
	raw, err := f.SVG()
	if err != nil {
		return "", err
	}
	head := svgHead.FindSubmatch(raw)
	if head == nil {
		return "", fmt.Errorf("eval: figure %s: not an SVG document", f.Name)
	}
	body := string(raw[len(head[0]):])
	body = svgFont.ReplaceAllString(body, "")
	body = svgSpace.ReplaceAllString(body, " ")
	pairs := []string{}
	name := func(c color.NRGBA, v string) {
		pairs = append(pairs, fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B), "var(--"+v+")")
	}
	name(colInk, "ink")
	name(colMuted, "muted")
	name(colGrid, "grid")
	name(colPaper, "paper")
	for k, c := range colData {
		name(c, fmt.Sprintf("c%d", k))
	}
	body = strings.NewReplacer(pairs...).Replace(body)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg viewBox="%s" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>`,
		head[1], f.Name, f.Name, f.Name, html.EscapeString(f.Title), f.Name, html.EscapeString(f.Alt))
	b.WriteString(strings.TrimSpace(body))
	return b.String(), nil
}
