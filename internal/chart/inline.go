package chart

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/internal/printable"
	"gonum.org/v1/plot/vg"
)

var (
	svgHead  = regexp.MustCompile(`(?s)^.*?<svg[^>]*viewBox="([^"]*)"[^>]*>`)
	svgFont  = regexp.MustCompile(`font-family:[^;"]*;font-variant:[^;"]*;font-weight:normal;font-style:[^;"]*;?`)
	svgSpace = regexp.MustCompile(`\n\s*`)
	svgText  = regexp.MustCompile(`<text ([^>]*style="font-size:([0-9.]+)px[^>]*)>([^<]+)</text>`)
)

// Inline returns the drawing as an <svg> element for a page. Colours are the CSS variables --ink, --muted, --grid,
// --paper and --c0, --c1, …, so that a dark style can change them. The font is that of the page, but texts keep the
// widths used in the layout. title and description are for readers who cannot see the drawing. id identifies the
// element in the page.
func (d Drawing) Inline(id, title, description string) (string, error) {
	raw, err := d.SVG()
	if err != nil {
		return "", err
	}
	head := svgHead.FindSubmatch(raw)
	if head == nil {
		return "", fmt.Errorf("chart: %s: not an SVG document", id)
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
	body = svgText.ReplaceAllStringFunc(body, textLengths)
	text := func(s string) string { return html.EscapeString(printable.EscapeLine(s)) }
	var b bytes.Buffer
	fmt.Fprintf(&b,
		`<svg viewBox="%s" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>`,
		head[1], id, id, id, text(title), id, text(description))
	b.WriteString(strings.TrimSpace(body))
	return b.String(), nil
}

// textLengths adds the width of a text to its element, so that browsers shrink the text if their font is wider.
func textLengths(element string) string {
	m := svgText.FindStringSubmatch(element)
	size, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return element
	}
	w := textWidth(html.UnescapeString(m[3]), vg.Length(size))
	return fmt.Sprintf(`<text %s textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`, m[1], float64(w), m[3])
}
