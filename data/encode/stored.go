package encode

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
)

// In a file, a column of dense vectors is one input with arrays that hold the indices, shifts, scales and fills of
// its entries. The encoded columns of the entries are omitted, since the arrays determine them.

// plainEncoder is an Encoder without methods.
type plainEncoder Encoder

// A storedEncoder is the representation of an Encoder in a file.
type storedEncoder struct {
	plainEncoder
	Inputs  []storedInput  `json:"inputs"`
	Profile *storedProfile `json:"profile,omitempty"`
}

// A storedInput is an input, or all entries of dense vectors.
type storedInput struct {
	Input
	Shifts []float64 `json:"shifts,omitempty"` // shifts of the entries of dense vectors
	Fills  []float64 `json:"fills,omitempty"`  // fills of dense vectors, by index; nil means 0
}

// A storedProfile is a Profile with one element for all entries of dense vectors.
type storedProfile struct {
	Profile
	Inputs []storedInputProfile `json:"inputs"`
}

// A storedInputProfile is the profile of one input, or the profiles of all entries of a dense vector.
type storedInputProfile struct {
	InputProfile
	Entries []InputProfile `json:"entries,omitempty"` // their inputs are numbered from the first entry
}

// JSONShape returns a value of the type that defines the JSON fields of an encoder.
func (e *Encoder) JSONShape() any { return storedEncoder{} }

// entryPlace returns the index of an input within a dense vector; is reports whether the input can be stored
// together with other entries.
func (e *Encoder) entryPlace(in *Input) (place int32, is bool) {
	if in.Vector == "" || in.Of != nil || in.Kind != data.Numeric || in.Stored != 0 {
		return 0, false
	}
	text, ok := strings.CutPrefix(in.Name, in.Vector+"[")
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "]"), 10, 32)
	if !ok || err != nil || n < 0 {
		return 0, false
	}
	place = int32(n)
	c := e.Columns[in.First]
	name := entryName(in.Vector, place)
	return place, name == in.Name && name == c.Name && c.Source == name && c.Kind == "numeric" && c.Level == ""
}

// entryName returns the name of an entry of vectors, such as x[12].
func entryName(vector string, place int32) string { return fmt.Sprintf("%s[%d]", vector, place) }

// MarshalJSON returns the representation of the encoder in a file.
func (e *Encoder) MarshalJSON() ([]byte, error) {
	if !slices.ContainsFunc(e.Inputs, func(in Input) bool { return in.isVector() || in.Vector != "" }) {
		return json.Marshal((*plainEncoder)(e))
	}
	out := storedEncoder{plainEncoder: plainEncoder(*e)}
	out.Columns = []Coding{}
	first := make([]int, len(e.Inputs)) // input of the file, for each input
	// number of the entry, for each input; -1 for an input that is stored separately
	entry := make([]int, len(e.Inputs))
	next := 0 // index of the next encoded column
	for i := range e.Inputs {
		in := &e.Inputs[i]
		entry[i] = -1
		place, is := e.entryPlace(in)
		switch {
		case is:
			n := len(out.Inputs)
			if n == 0 || out.Inputs[n-1].Shifts == nil || out.Inputs[n-1].Name != in.Vector ||
				place <= out.Inputs[n-1].Index[len(out.Inputs[n-1].Index)-1] {
				out.Inputs = append(out.Inputs, storedInput{Input: Input{Name: in.Vector, Kind: data.Vector, First: in.First}})
				n++
			}
			of, c := &out.Inputs[n-1], e.Columns[in.First]
			entry[i] = len(of.Index)
			of.Index, of.Shifts, of.Scales = append(of.Index, place), append(of.Shifts, c.Shift), append(of.Scales, c.Scale)
			if in.Fill != 0 || of.Fills != nil {
				of.Fills = append(of.Fills, make([]float64, len(of.Index)-len(of.Fills))...)
				of.Fills[entry[i]] = in.Fill
			}
			out.Columns, next = append(out.Columns, e.Columns[next:in.First]...), in.First+1
		case in.isVector():
			out.Inputs = append(out.Inputs, storedInput{Input: *in})
			out.Columns, next = append(out.Columns, e.Columns[next:in.First]...), in.First+len(in.Index)
		default:
			out.Inputs = append(out.Inputs, storedInput{Input: *in})
		}
		first[i] = len(out.Inputs) - 1
	}
	for k := range out.Inputs {
		if of := &out.Inputs[k]; of.Fills != nil {
			of.Fills = append(of.Fills, make([]float64, len(of.Index)-len(of.Fills))...)
		}
	}
	out.Columns = append(out.Columns, e.Columns[next:]...)
	if e.Profile != nil {
		out.Profile = &storedProfile{Profile: *e.Profile, Inputs: []storedInputProfile{}}
		for _, p := range e.Profile.Inputs {
			at, n := entry[p.Input], len(out.Profile.Inputs)
			p.Input = first[p.Input]
			if at < 0 {
				out.Profile.Inputs = append(out.Profile.Inputs, storedInputProfile{InputProfile: p})
				continue
			}
			if n == 0 || out.Profile.Inputs[n-1].Input != p.Input {
				out.Profile.Inputs = append(out.Profile.Inputs,
					storedInputProfile{InputProfile: InputProfile{Input: p.Input, Shares: []float64{}}})
				n++
			}
			all := &out.Profile.Inputs[n-1]
			p.Input = at
			all.Entries = append(all.Entries, p)
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON decodes what MarshalJSON returns, and encoders of earlier versions, which have an input for each
// entry of dense vectors.
func (e *Encoder) UnmarshalJSON(b []byte) error {
	var in storedEncoder
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*e = Encoder(in.plainEncoder)
	stored := e.Columns
	e.Inputs, e.Columns, e.Profile = nil, nil, nil
	place := make([]int, len(in.Inputs)) // first input, for each input of the file
	for i := range in.Inputs {
		of := &in.Inputs[i]
		place[i] = len(e.Inputs)
		if !of.isVector() {
			e.Inputs = append(e.Inputs, of.Input)
			continue
		}
		if err := of.validate(); err != nil {
			return fmt.Errorf("vector column %q: %w", of.Name, err)
		}
		n := of.First - len(e.Columns)
		if n < 0 || n > len(stored) {
			return fmt.Errorf("vector column %q begins at the encoded column %d, which is out of order", of.Name, of.First)
		}
		e.Columns, stored = append(e.Columns, stored[:n]...), stored[n:]
		if of.Shifts == nil {
			e.Inputs = append(e.Inputs, of.Input)
			e.appendPlaces(&e.Inputs[len(e.Inputs)-1])
			continue
		}
		for k, at := range of.Index {
			entry := Input{Name: entryName(of.Name, at), Kind: data.Numeric, First: of.First + k, Vector: of.Name}
			if of.Fills != nil {
				entry.Fill = of.Fills[k]
			}
			e.Inputs = append(e.Inputs, entry)
			e.Columns = append(e.Columns, Coding{Name: entry.Name, Source: entry.Name, Kind: "numeric", Shift: of.Shifts[k],
				Scale: of.Scales[k]})
		}
	}
	e.Columns = append(e.Columns, stored...)
	if in.Profile == nil {
		return nil
	}
	e.Profile = &in.Profile.Profile
	e.Profile.Inputs = []InputProfile{}
	for _, p := range in.Profile.Inputs {
		if p.Input < 0 || p.Input >= len(place) {
			return fmt.Errorf("the training profile refers to input %d, which does not exist", p.Input)
		}
		first := place[p.Input]
		if p.Entries == nil {
			p.InputProfile.Input = first
			e.Profile.Inputs = append(e.Profile.Inputs, p.InputProfile)
		}
		for _, of := range p.Entries {
			if of.Input < 0 || of.Input >= len(in.Inputs[p.Input].Index) {
				return fmt.Errorf("the training profile refers to entry %d of %q, which does not exist", of.Input,
					in.Inputs[p.Input].Name)
			}
			of.Input += first
			e.Profile.Inputs = append(e.Profile.Inputs, of)
		}
	}
	return nil
}

// validate returns an error if an input of vectors that was read from a file is invalid.
func (in *storedInput) validate() error {
	if err := in.validateVector(); err != nil {
		return err
	}
	if in.Shifts == nil {
		return nil
	}
	if n := len(in.Index); len(in.Shifts) != n || len(in.Scales) != n || in.Fills != nil && len(in.Fills) != n {
		return fmt.Errorf("the column has %d indices, %d shifts, %d scales and %d fills, but these counts must be equal", n,
			len(in.Shifts), len(in.Scales),
			len(in.Fills))
	}
	return nil
}
