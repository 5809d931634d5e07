package score

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Schema is the version of the model file format that Read reads.
const Schema = 1

// A Document holds the parts of a model file from which a Formula is made. Package train, which writes model files,
// also uses a Document to make the Formula of a model.
type Document struct {
	Schema *int   `json:"schema"`
	Link   string `json:"link"` // link of the loss: "", or "log" for a number, or "logit" for two classes
	Config struct {
		Reading struct {
			Relabel map[string]string `json:"relabel"`
			Text    struct {
				Missing []string `json:"na"`
			} `json:"text"`
			Columns []readColumn `json:"columns"`
		} `json:"reading"`
	} `json:"config"`
	Encoder      *encoder  `json:"encoder"`
	Coefficients []float64 `json:"coefficients"`
	Recalibrated []float64 `json:"recalibrated_coefficients"` // nil if Coefficients are used for predictions
}

// A readColumn describes how a column of the training table was read.
type readColumn struct {
	Name string `json:"name"`
}

// An encoder describes the columns in a model file.
type encoder struct {
	Spec struct {
		Impute string `json:"impute"`
	} `json:"spec"`
	Inputs  []input  `json:"inputs"`
	Columns []coding `json:"columns"`
	Target  struct {
		Name      string   `json:"name"`
		Task      string   `json:"task"`
		Positive  string   `json:"positive"`
		Negative  string   `json:"negative"`
		Classes   []string `json:"classes"`
		Shift     float64  `json:"shift"`
		Scale     float64  `json:"scale"`
		Transform string   `json:"transform"`
		Smear     float64  `json:"smear"`
		Exposure  string   `json:"exposure"`
	} `json:"target"`
	Dates   []string `json:"dates"`
	Profile *struct {
		Float32 bool `json:"float32"`
		Inputs  []struct {
			inputRange
			// for dense vectors; their inputs are numbered from the first entry
			Entries []inputRange `json:"entries"`
		} `json:"inputs"`
	} `json:"profile"`

	ranges []inputRange // ranges of the profile, which refer to Inputs
	narrow bool         // values of the profile were rounded to float32
}

// An inputRange holds the smallest and the largest training value of an input.
type inputRange struct {
	Input int     `json:"input"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// An input is a source column and the index of its first encoded column.
type input struct {
	Name      string    `json:"name"`
	Kind      Kind      `json:"kind"`
	Stored    Kind      `json:"stored"`
	First     int       `json:"first"`
	Levels    []string  `json:"levels"`
	Of        []operand `json:"of"`
	Vector    string    `json:"vector"`
	Index     []int     `json:"index"`
	Scales    []float64 `json:"scales"`
	Shifts    []float64 `json:"shifts"` // shifts of dense vectors
	Fills     []float64 `json:"fills"`
	Missing   bool      `json:"missing"`
	Other     bool      `json:"other"`
	Reference string    `json:"reference"`
	Fill      float64   `json:"fill"`
}

// An operand is a factor of a derived input.
type operand struct {
	Column   string   `json:"column"`
	Kind     Kind     `json:"kind"`
	Function Function `json:"function"`
	Fill     *float64 `json:"fill"`
	Center   float64  `json:"center"`
	Level    string   `json:"level"`
}

// A coding is an encoded column.
type coding struct {
	Kind  string  `json:"kind"`
	Shift float64 `json:"shift"`
	Scale float64 `json:"scale"`
}

// labels returns the levels, followed by the labels for nulls and for rare values if these have encoded columns.
func (in *input) labels() []string {
	all := slices.Clone(in.Levels)
	if in.Missing {
		all = append(all, "(missing)")
	}
	if in.Other {
		all = append(all, "(other)")
	}
	return all
}

// referenceIndex returns the index in labels of the label without an encoded column, or -1 if there is none.
func (in *input) referenceIndex() int {
	switch all := in.labels(); {
	case in.Reference != "":
		return slices.Index(all, in.Reference)
	case len(all) == 2:
		return 0
	}
	return -1
}

// Read returns a scorer for a model file (model.json) that `drotrain train` or train.Model.Save wrote. The error
// states what is missing or damaged. To use models in the file other than the trained one, such as ERM, use train.Load
// and train.Model.Variant.
func Read(r io.Reader) (*Scorer, error) {
	if r == nil {
		return nil, errors.New("score: the reader is nil")
	}
	const most = 1 << 30
	raw, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > most:
		return nil, fmt.Errorf("score: not a model: the file has more than %d bytes", most)
	}
	var d Document
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, fmt.Errorf("score: not a model: %w", err)
	}
	f, err := d.Formula()
	if err != nil {
		return nil, err
	}
	return New(f)
}

// Formula returns the model of the document as a formula in the source columns. It returns an error if the document is
// damaged, has another schema, or has a link that a formula cannot express. It may be called only once.
func (d *Document) Formula() (*Formula, error) {
	switch {
	case d.Schema == nil:
		return nil, errors.New("score: not a model: the file has no schema version")
	case *d.Schema != Schema:
		return nil, fmt.Errorf("score: the model has schema %d, but this version reads schema %d", *d.Schema, Schema)
	case d.Encoder == nil:
		return nil, errors.New("score: the model is damaged: its encoder is missing")
	}
	e, x := d.Encoder, d.Coefficients
	if d.Recalibrated != nil {
		x = d.Recalibrated
	}
	if err := e.expandVectors(); err != nil {
		return nil, err
	}
	outputs := max(1, len(e.Target.Classes))
	if len(e.Columns) == 0 || len(x) != len(e.Columns)*outputs {
		return nil, fmt.Errorf("score: the model is damaged: it has %d coefficients for %d encoded columns and %d "+
			"outputs", len(x),
			len(e.Columns), outputs)
	}
	for _, in := range e.Inputs {
		width := len(in.labels())
		switch {
		case in.Kind == Vector:
			width = len(in.Index)
		case in.Kind == Numeric:
			width = 1
		case width < 2:
			width = 0
		case in.referenceIndex() >= 0:
			width--
		}
		if in.First < 0 || in.First+width > len(e.Columns) {
			return nil, fmt.Errorf("score: the model is damaged: column %q has the encoded columns %d to %d of %d", in.Name,
				in.First, in.First+width-1, len(e.Columns))
		}
	}
	target := Target{
		Name: e.Target.Name, Numeric: e.Target.Task == "regression", Positive: e.Target.Positive, Negative: e.Target.Negative,
		Classes: e.Target.Classes,
		Shift:   e.Target.Shift, Scale: e.Target.Scale, Transform: e.Target.Transform, Smear: e.Target.Smear,
	}
	switch {
	case e.Target.Exposure != "" && d.Link != "log":
		return nil, fmt.Errorf("score: the model is damaged: the exposure %q requires the log link", e.Target.Exposure)
	case target.Numeric && d.Link == "log" && target.Transform == "":
		target.Transform = d.Link // the inverse of Link yields the prediction
	case d.Link != "" && (target.Numeric || d.Link != "logit"):
		return nil, fmt.Errorf(
			"score: the loss of the model has the link %q, which a formula cannot express: train.Model.Predict can", d.Link)
	}
	f := &Formula{}
	if target.Classes == nil {
		f = d.formulaAt(x)
	}
	for class := range target.Classes {
		of := make([]float64, 0, len(e.Columns))
		for i := class; i < len(x); i += outputs {
			of = append(of, x[i])
		}
		f.Classes = append(f.Classes, d.formulaAt(of))
	}
	f.Target = target
	if err := f.validate(); err != nil {
		return nil, fmt.Errorf("score: the model is damaged: %w", err)
	}
	return f, nil
}

// formulaAt returns the formula of the margin for coefficients x of the encoded columns, without the target.
func (d *Document) formulaAt(x []float64) *Formula {
	e := d.Encoder
	f := &Formula{Terms: make([]Term, 0, len(e.Inputs))}
	if k := len(e.Columns) - 1; e.Columns[k].Kind == "intercept" {
		f.Constant = x[k]
	}
	term := map[string]int{}
	for _, in := range e.Inputs {
		if in.Of != nil {
			continue
		}
		term[in.Name] = len(f.Terms)
		t := Term{Column: in.Name, Kind: in.Kind, Stored: in.Stored, Date: slices.Contains(e.Dates, in.Name),
			Vector: in.Vector}
		if in.Kind == Vector {
			t.Places, t.Weights = in.Index, make([]float64, len(in.Index))
			for k := range t.Weights {
				t.Weights[k] = x[in.First+k] / e.Columns[in.First+k].Scale
			}
			f.Terms = append(f.Terms, t)
			continue
		}
		if in.Kind == Numeric {
			c := e.Columns[in.First]
			t.Weight, t.Shift, t.Scale = x[in.First], c.Shift, c.Scale
			if e.Spec.Impute == "mean" || e.Spec.Impute == "median" {
				t.Fill = &in.Fill
			}
			f.Terms = append(f.Terms, t)
			continue
		}
		t.Levels, t.Null = in.Levels, in.Missing
		all := make([]float64, len(in.labels()))
		at := in.First
		for k := range all {
			if k != in.referenceIndex() {
				all[k] = x[at]
				at++
			}
		}
		// add the contribution of rare and unseen levels to every row, and the difference to the other
		// levels
		if in.Other {
			rest := all[len(all)-1]
			f.Constant += rest
			for k := range all {
				all[k] -= rest
			}
		}
		t.Weights = all[:len(in.Levels)]
		if in.Missing {
			t.Missing = all[len(in.Levels)]
		}
		f.Terms = append(f.Terms, t)
	}
	rest := map[string]int{}
	for _, in := range e.Inputs {
		if in.Of == nil {
			continue
		}
		c := e.Columns[in.First]
		p := Product{Weight: x[in.First], Shift: c.Shift, Scale: c.Scale}
		for _, o := range in.Of {
			k, known := term[o.Column]
			if !known {
				k = len(f.Terms)
				term[o.Column] = k
				t := Term{Column: o.Column, Kind: o.Kind, Scale: 1, Fill: o.Fill, Date: slices.Contains(e.Dates, o.Column)}
				if o.Kind != Numeric {
					t.Levels, t.Weights = []string{}, []float64{}
				}
				f.Terms = append(f.Terms, t)
			}
			t := &f.Terms[k]
			at := 0
			if o.Kind != Numeric {
				if at = slices.Index(t.Levels, o.Level); at < 0 {
					at = len(t.Levels)
					t.Levels, t.Weights = append(slices.Clone(t.Levels), o.Level), append(t.Weights, 0)
				}
			}
			p.Factors = append(p.Factors, Factor{Term: k, Function: o.Function, Level: at})
		}
		moveCentre(f, in.Of, &p, rest)
		f.Products = append(f.Products, p)
	}
	if name := e.Target.Exposure; name != "" { // the logarithm of the exposure is a fixed term of the margin
		f.Products = append(f.Products, Product{Factors: []Factor{{Term: len(f.Terms), Function: Function{Name: "log"}}},
			Weight: 1, Scale: 1})
		f.Terms = append(f.Terms, Term{Column: name, Kind: Numeric, Stored: Numeric, Scale: 1})
	}
	d.setTrainingRanges(f, term)
	for i := range f.Terms {
		d.renameValues(&f.Terms[i])
	}
	f.Rename(d.Config.Reading.Relabel)
	return f
}

// renameValues sets the values of a term that are read as nulls, and the numbers that are read as different
// numbers.
func (d *Document) renameValues(t *Term) {
	missing := d.missingTexts(t.Column)
	isMissing := func(text string) bool {
		v, isNumber := parseFinite(text)
		return slices.ContainsFunc(missing, func(m string) bool {
			x, is := parseFinite(m)
			return m == text || is && isNumber && x == v
		})
	}
	switch {
	case t.Kind == Numeric && !t.Date && t.Vector == "":
		for from, to := range d.Config.Reading.Relabel {
			x, is := parseFinite(from)
			y, isNumber := parseFinite(to)
			switch {
			case is && isMissing(to):
				t.Renamed = append(t.Renamed, RenamedNumber{From: x})
			case is && isNumber:
				t.Renamed = append(t.Renamed, RenamedNumber{x, &y})
			}
		}
		for _, text := range missing {
			x, is := parseFinite(text)
			if is && !slices.ContainsFunc(t.Renamed, func(r RenamedNumber) bool { return r.From == x }) {
				t.Renamed = append(t.Renamed, RenamedNumber{From: x})
			}
		}
		slices.SortFunc(t.Renamed, func(a, b RenamedNumber) int { return cmp.Compare(a.From, b.From) })
	case t.Kind == Categorical && t.Null:
		for _, text := range missing {
			x, isNumber := parseFinite(text)
			if t.Stored == Numeric {
				text = formatNumber(x)
			}
			if (isNumber || t.Stored != Numeric) && !slices.Contains(t.Levels, text) {
				t.Levels, t.Weights = append(slices.Clone(t.Levels), text), append(slices.Clone(t.Weights), t.Missing)
			}
		}
	}
}

// parseFinite parses a text as a finite number.
func parseFinite(text string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && finite(v)
}

// missingTexts returns the texts that mark missing values in a column.
func (d *Document) missingTexts(column string) (texts []string) {
	for _, item := range d.Config.Reading.Text.Missing {
		of, text := "", item
		for i, r := range item {
			if r == '=' && slices.Contains(d.Config.Reading.Columns, readColumn{item[:i]}) {
				of, text = item[:i], item[i+1:]
				break
			}
		}
		if of == "" || of == column {
			texts = append(texts, text)
		}
	}
	return texts
}

// moveCentre adds to f the difference between product p, whose number is centred, and the same product of its levels
// with the uncentred number, which then replaces p. If there is one level, the difference is added to its weight.
// Otherwise it is added to the one product of these levels in f.Products; rest maps the levels to its index.
func moveCentre(f *Formula, of []operand, p *Product, rest map[string]int) {
	for k, o := range of {
		if o.Center == 0 {
			continue
		}
		levels := slices.Delete(slices.Clone(p.Factors), k, k+1)
		moved := -p.Weight * o.Center / p.Scale
		if len(levels) == 1 {
			f.Terms[levels[0].Term].Weights[levels[0].Level] += moved
			continue
		}
		key := fmt.Sprint(levels)
		at, known := rest[key]
		if !known {
			at = len(f.Products)
			rest[key] = at
			f.Products = append(f.Products, Product{Factors: levels, Scale: 1})
		}
		f.Products[at].Weight += moved
	}
}

// setTrainingRanges sets the range of the training values of each numeric term that has a profile, widened by the
// rounding of encoded values; term maps columns to the indices of their terms.
func (d *Document) setTrainingRanges(f *Formula, term map[string]int) {
	for _, p := range d.Encoder.ranges {
		in := &d.Encoder.Inputs[p.Input]
		if k, known := term[in.Name]; known && in.Kind == Numeric && in.Of == nil {
			tolerance := 1e-9 * (math.Abs(p.Low) + math.Abs(p.High))
			if d.Encoder.narrow {
				tolerance *= 1000
			}
			low, high := p.Low-tolerance, p.High+tolerance
			f.Terms[k].Low, f.Terms[k].High = &low, &high
		}
	}
}
