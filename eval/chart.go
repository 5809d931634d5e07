package eval

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// One theme for all figures. The hues are Okabe and Ito's; shape and dash
// repeat what colour says, so that a figure survives a grey printer.
const (
	figureWidth = 400 // points; readable when scaled to a phone
	fontSize    = 11.5
	smallSize   = 10.5
)

var (
	colInk   = color.NRGBA{0x22, 0x26, 0x2b, 0xff}
	colMuted = color.NRGBA{0x60, 0x67, 0x70, 0xff}
	colGrid  = color.NRGBA{0xe2, 0xe5, 0xe9, 0xff}
	colPaper = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	colData  = []color.NRGBA{
		{0xd5, 0x5e, 0x00, 0xff}, // baseline: vermillion
		{0x00, 0x72, 0xb2, 0xff}, // robust: blue
		{0x00, 0x9e, 0x73, 0xff}, // third: bluish green
		{0xcc, 0x79, 0xa7, 0xff}, // fourth: reddish purple
	}
	dashes = [][]vg.Length{{5, 2.5}, nil, {1.5, 2}, {7, 2, 1.5, 2}}
)

// fonts is a cache of our own: the process-wide defaults of the plotting
// library stay as they are.
var fonts = font.NewCache(liberation.Collection())

type sheet struct {
	c    vg.Canvas
	w, h vg.Length
}

func face(size vg.Length, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = 2 // bold in golang.org/x/image/font
	}
	return fonts.Lookup(f, size)
}

func textWidth(s string, size vg.Length) vg.Length {
	f := face(size, false)
	return f.Width(s)
}

// text writes s with its baseline at y; align is 0 left, ½ centre, 1 right.
func (p sheet) text(x, y vg.Length, s string, size vg.Length, col color.Color, align float64) {
	p.c.SetColor(col)
	f := face(size, false)
	p.c.FillString(f, vg.Point{X: x - vg.Length(align)*f.Width(s), Y: y}, s)
}

func (p sheet) line(col color.Color, width vg.Length, dash []vg.Length, pts ...vg.Point) {
	if len(pts) < 2 {
		return
	}
	var path vg.Path
	path.Move(pts[0])
	for _, q := range pts[1:] {
		path.Line(q)
	}
	p.c.SetColor(col)
	p.c.SetLineWidth(width)
	p.c.SetLineDash(dash, 0)
	p.c.Stroke(path)
}

func (p sheet) area(col color.Color, pts ...vg.Point) {
	var path vg.Path
	path.Move(pts[0])
	for _, q := range pts[1:] {
		path.Line(q)
	}
	path.Close()
	p.c.SetColor(col)
	p.c.Fill(path)
}

// mark draws the glyph of series k: open diamond, disc, square, triangle.
func (p sheet) mark(at vg.Point, k int, r vg.Length, col color.Color, open bool) {
	var path vg.Path
	switch k % 4 {
	case 0:
		r *= 1.25
		path.Move(vg.Point{X: at.X - r, Y: at.Y})
		path.Line(vg.Point{X: at.X, Y: at.Y + r})
		path.Line(vg.Point{X: at.X + r, Y: at.Y})
		path.Line(vg.Point{X: at.X, Y: at.Y - r})
	case 1:
		path.Move(vg.Point{X: at.X + r, Y: at.Y})
		path.Arc(at, r, 0, 2*math.Pi)
	case 2:
		path.Move(vg.Point{X: at.X - r, Y: at.Y - r})
		path.Line(vg.Point{X: at.X + r, Y: at.Y - r})
		path.Line(vg.Point{X: at.X + r, Y: at.Y + r})
		path.Line(vg.Point{X: at.X - r, Y: at.Y + r})
	default:
		path.Move(vg.Point{X: at.X - r, Y: at.Y - r})
		path.Line(vg.Point{X: at.X + r, Y: at.Y - r})
		path.Line(vg.Point{X: at.X, Y: at.Y + r})
	}
	path.Close()
	if open || k%4 == 0 {
		p.c.SetColor(colPaper)
	} else {
		p.c.SetColor(col)
	}
	p.c.Fill(path)
	p.c.SetColor(col)
	p.c.SetLineWidth(1.3)
	p.c.SetLineDash(nil, 0)
	p.c.Stroke(path)
}

// legend writes the series names in one or more rows below y and returns the
// height used. lines says whether to show the dash of a line.
func (p sheet) legend(x, y vg.Length, names []string, lines bool) vg.Length {
	const row, key = 15, 24
	cx, used := x, vg.Length(row)
	for k, name := range names {
		if name == "" {
			continue
		}
		w := key + 5 + textWidth(name, smallSize) + 16
		if cx > x && cx+w > p.w {
			cx, used = x, used+row
		}
		mid := y - used + row/2
		col := colData[k%len(colData)]
		if lines {
			p.line(col, 1.6, dashes[k%len(dashes)], vg.Point{X: cx, Y: mid}, vg.Point{X: cx + key, Y: mid})
		}
		p.mark(vg.Point{X: cx + key/2, Y: mid}, k, 3, col, false)
		p.text(cx+key+5, mid-3.3, name, smallSize, colInk, 0)
		cx += w
	}
	return used
}

// An axis maps values to [lo, hi] points.
type axis struct {
	min, max float64
	log      bool
	lo, hi   vg.Length
}

func (a axis) at(v float64) vg.Length {
	t := (v - a.min) / (a.max - a.min)
	if a.log {
		t = math.Log(v/a.min) / math.Log(a.max/a.min)
	}
	return a.lo + vg.Length(t)*(a.hi-a.lo)
}

// drawable bounds what an axis shows: beyond it the arithmetic of the range
// could overflow.
const drawable = 1e120

// inside reports whether v can be drawn on the axis.
func (a axis) inside(v float64) bool {
	return math.Abs(v) <= drawable && (!a.log || v >= 1/drawable)
}

// fit widens min and max to hold v.
func (a *axis) fit(v float64) {
	if !a.inside(v) {
		return
	}
	a.min, a.max = math.Min(a.min, v), math.Max(a.max, v)
}

func newAxis(log bool) axis { return axis{min: math.Inf(1), max: math.Inf(-1), log: log} }

// settle pads the range and makes it non-empty.
func (a *axis) settle(pad float64) {
	if a.min > a.max {
		a.min, a.max = 0, 1
		if a.log {
			a.min = 0.1
		}
	}
	if a.log {
		if a.max < a.min*1.0001 {
			a.min, a.max = a.min/2, a.max*2
			return
		}
		f := math.Pow(a.max/a.min, pad)
		a.min, a.max = a.min/f, a.max*f
		return
	}
	span := a.max - a.min
	if span <= 1e-12*math.Max(math.Abs(a.max), 1e-300) {
		span = math.Max(math.Abs(a.max), 1) * 0.1
	}
	a.min, a.max = a.min-pad*span, a.max+pad*span
}

type tick struct {
	v float64
	s string
}

// ticks returns about want round values inside the range.
func (a axis) ticks(want int) []tick {
	if a.log {
		return a.logTicks(want)
	}
	raw := (a.max - a.min) / float64(want)
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * mag
	for _, s := range []float64{1, 2, 5} {
		if s*mag >= raw*0.8 {
			step = s * mag
			break
		}
	}
	dec := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	big := math.Max(math.Abs(a.min), math.Abs(a.max))
	var out []tick
	for k := math.Ceil(a.min/step - 1e-9); k*step <= a.max+1e-9*step; k++ {
		v := k*step + 0 // + 0: no negative zero
		s := strconv.FormatFloat(v, 'f', dec, 64)
		switch {
		case k == 0:
			s = "0"
		case big >= 1e6 || step < 1e-5:
			s = compact(v)
		case dec == 0:
			s = count(int(math.Round(v)))
		}
		out = append(out, tick{v, strings.Replace(s, "-", "−", 1)})
	}
	return out
}

func (a axis) logTicks(want int) []tick {
	lo, hi := math.Floor(math.Log10(a.min)), math.Ceil(math.Log10(a.max))
	decades := math.Log10(a.max / a.min)
	mult := []float64{1}
	if decades < 1.2 {
		mult = []float64{1, 2, 3, 5, 7}
	} else if decades < 3 {
		mult = []float64{1, 2, 5}
		if int(decades*3) > want+2 {
			mult = []float64{1, 3}
		}
	}
	every := max(1, math.Ceil(decades/float64(want)))
	var out []tick
	for e := lo; e <= hi; e++ {
		if math.Mod(e, every) != 0 {
			continue
		}
		for _, m := range mult {
			// Through text, so that 10⁻³ is the double nearest 0.001.
			v, _ := strconv.ParseFloat(strconv.FormatFloat(m, 'f', 0, 64)+"e"+strconv.Itoa(int(e)), 64)
			if v >= a.min*0.9999 && v <= a.max*1.0001 {
				out = append(out, tick{v, compact(v)})
			}
		}
	}
	if len(out) < 2 {
		b := a
		b.log = false
		return b.ticks(want)
	}
	return out
}

// compact writes a tick label in few characters.
func compact(v float64) string {
	s := strconv.FormatFloat(v, 'g', 3, 64)
	if a := math.Abs(v); a >= 1e-3 && a < 1e4 {
		s = strconv.FormatFloat(v, 'f', -1, 64)
	} else if m, e, ok := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e"); ok {
		k, _ := strconv.Atoi(e)
		s = m + "e" + strconv.Itoa(k)
	}
	return strings.ReplaceAll(s, "-", "−")
}

func shareTick(v float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(100*v, 'g', 4, 64), "-", "−") + "\u2009%"
}
