package methods

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Figure is a row or grid of line charts with one legend above them.
type Figure struct {
	Name   string // file name without extension
	Legend []string
	First  int // key of the legend's first entry: 0 or Pairs
	Panels []Panel
	Wide   int // panels in a row

	Footnote string
}

// A Panel is one chart with logarithmic axes unless said otherwise.
type Panel struct {
	Title, X, Y string
	LinearX     bool
	LinearY     bool
	Lines       []Line
}

// Pairs is the first of the keys that come in twos of one hue: a solid line with
// full glyphs, then a dashed one with hollow glyphs.
const Pairs = 100

// A Line has the key of its entry in the legend: First for the first one. Dotted
// lines are predictions.
type Line struct {
	Key    int
	X, Y   []float64
	Dotted bool
}

// The hues are Okabe and Ito's, safe for colour-blind readers; dash and glyph
// repeat what colour says.
var (
	hues = []color.NRGBA{
		{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
		{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x22, 0x26, 0x2b, 0xff}, {0x80, 0x80, 0x80, 0xff}, {0x8c, 0x51, 0x0a, 0xff}, {0x5e, 0x3c, 0x99, 0xff},
	}
	dashes = [][]vg.Length{nil, {6, 2}, {2, 2}, {8, 2, 2, 2}, nil, {6, 2}, {2, 2}, {8, 2, 2, 2}}
	glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
		draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.PlusGlyph{}}
	paired = [2][]draw.GlyphDrawer{{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}},
		{draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}}}
)

const (
	panelWidth  = 260
	panelHeight = 215
	legendRow   = 15
	textSize    = 9.5
)

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// decades marks powers of ten, and their halves where there are few.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(lo, hi float64) []plot.Tick {
	span := math.Log10(hi / lo)
	every := math.Max(1, math.Ceil(span/6))
	var out []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for _, m := range []float64{1, 2, 5} {
			v, _ := strconv.ParseFloat(fmt.Sprintf("%ge%g", m, e), 64) // the double nearest 0.001
			if v < lo*0.999 || v > hi*1.001 || m > 1 && span > 2.2 || m == 1 && math.Mod(e, every) != 0 {
				continue
			}
			out = append(out, plot.Tick{Value: v, Label: tickText(v)})
		}
	}
	return out
}

func tickText(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if v < 1e-3 || v >= 1e4 {
		m, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
		k, _ := strconv.Atoi(e)
		s = m + "e" + strconv.Itoa(k)
	}
	return strings.ReplaceAll(s, "-", "−")
}

func (p Panel) plot() (*plot.Plot, error) {
	c := plot.New()
	c.BackgroundColor = color.White
	c.X.Label.Text, c.X.Label.TextStyle.Font = p.X, sans(textSize)
	c.X.Tick.Label.Font, c.Y.Tick.Label.Font = sans(textSize-1), sans(textSize-1)
	if !p.LinearX {
		c.X.Scale, c.X.Tick.Marker = plot.LogScale{}, decades{}
	}
	if !p.LinearY {
		c.Y.Scale, c.Y.Tick.Marker = plot.LogScale{}, decades{}
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xe4}, color.Gray{0xe4}
	c.Add(grid)
	drawn := false
	for _, l := range p.Lines {
		var pts plotter.XYs
		for i, x := range l.X {
			if y := l.Y[i]; p.shows(x, y) {
				pts = append(pts, plotter.XY{X: x, Y: y})
			}
		}
		if len(pts) == 0 {
			continue
		}
		drawn = true
		line, err := plotter.NewLine(pts)
		if err != nil {
			return nil, err
		}
		line.LineStyle = style(l.Key)
		if l.Dotted {
			line.LineStyle.Width, line.LineStyle.Dashes = 0.8, []vg.Length{1, 1.5}
			c.Add(line)
			continue
		}
		step := max(1, len(pts)/8)
		var marked plotter.XYs
		for i := (l.Key * step / len(hues)) % step; i < len(pts); i += step {
			marked = append(marked, pts[i])
		}
		dots, err := plotter.NewScatter(marked)
		if err != nil {
			return nil, err
		}
		dots.GlyphStyle = glyph(l.Key)
		c.Add(line, dots)
	}
	if !drawn {
		c.X.Min, c.X.Max, c.Y.Min, c.Y.Max = 1, 10, 1, 10
	}
	if c.Y.Max <= c.Y.Min*1.0001 && !p.LinearY {
		c.Y.Min, c.Y.Max = c.Y.Min/2, c.Y.Max*2
	}
	return c, nil
}

func (p Panel) shows(x, y float64) bool {
	v := x + y
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (p.LinearX || x > 0) && (p.LinearY || y > 0)
}

func style(key int) draw.LineStyle {
	if key >= Pairs {
		pair, second := (key-Pairs)/2, key%2
		return draw.LineStyle{Color: hues[pair%len(hues)], Width: 1.4, Dashes: dashes[second]}
	}
	return draw.LineStyle{Color: hues[key%len(hues)], Width: 1.4, Dashes: dashes[key%len(dashes)]}
}

func glyph(key int) draw.GlyphStyle {
	if key >= Pairs {
		pair, second := (key-Pairs)/2, key%2
		return draw.GlyphStyle{Color: hues[pair%len(hues)], Radius: 2.4, Shape: paired[second][pair%4]}
	}
	return draw.GlyphStyle{Color: hues[key%len(hues)], Radius: 2.4, Shape: glyphs[key%len(glyphs)]}
}

// A layout is where the parts of a figure go.
type layout struct {
	w, h          vg.Length
	panelW        vg.Length
	panelH, foot  vg.Length
	rows, columns int // of panels, of the legend
}

func (f Figure) layout() layout {
	l := layout{panelW: panelWidth, panelH: panelHeight, rows: (len(f.Panels) + f.Wide - 1) / f.Wide}
	if f.Wide == 1 {
		l.panelW, l.panelH = 1.6*panelWidth, 1.3*panelHeight
	}
	l.w = vg.Length(f.Wide) * l.panelW
	face, widest := plot.DefaultTextHandler, vg.Length(0)
	for _, name := range f.Legend {
		width, _, _ := face.Box(name, sans(textSize))
		widest = max(widest, width)
	}
	l.columns = max(1, int((l.w-10)/(widest+48)))
	l.h = vg.Length(l.rows)*l.panelH + vg.Length((len(f.Legend)+l.columns-1)/l.columns)*legendRow + 10
	if f.Footnote != "" {
		l.foot = legendRow
		l.h += l.foot
	}
	return l
}

func (f Figure) on(canvas vg.CanvasSizer) error {
	l := f.layout()
	c := draw.New(canvas)
	c.FillPolygon(color.White, []vg.Point{{}, {X: l.w}, {X: l.w, Y: l.h}, {Y: l.h}})
	text := draw.TextStyle{Color: color.NRGBA{0x22, 0x26, 0x2b, 0xff}, Font: sans(textSize), Handler: plot.DefaultTextHandler}
	muted := text
	muted.Color = color.NRGBA{0x60, 0x67, 0x70, 0xff}
	for k, name := range f.Legend {
		x := 10 + (l.w-10)/vg.Length(l.columns)*vg.Length(k%l.columns)
		y := l.h - legendRow*(vg.Length(k/l.columns)+0.8)
		c.StrokeLine2(style(f.First+k), x, y, x+26, y)
		c.DrawGlyph(glyph(f.First+k), vg.Point{X: x + 13, Y: y})
		c.FillText(text, vg.Point{X: x + 32, Y: y - 3.2}, name)
	}
	if f.Footnote != "" {
		c.FillText(text, vg.Point{X: 10, Y: 5}, f.Footnote)
	}
	for i, p := range f.Panels {
		chart, err := p.plot()
		if err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		x, y := vg.Length(i%f.Wide)*l.panelW, l.foot+vg.Length(l.rows-1-i/f.Wide)*l.panelH
		top := y + l.panelH - 18
		c.FillText(text, vg.Point{X: x + 10, Y: top}, p.Title)
		c.FillText(muted, vg.Point{X: x + 10, Y: top - 14}, p.Y)
		chart.Draw(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x + 10, Y: y + 4}, Max: vg.Point{X: x + l.panelW - 10, Y: top - 24}}})
	}
	return nil
}

// SVG returns the figure as a document.
func (f Figure) SVG() ([]byte, error) {
	l := f.layout()
	c := vgsvg.New(l.w, l.h)
	if err := f.on(c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}

// PNG returns the figure at 200 dots per inch.
func (f Figure) PNG() ([]byte, error) {
	l := f.layout()
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(l.w, l.h), vgimg.UseDPI(200))}
	if err := f.on(c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}
