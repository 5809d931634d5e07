package table

import "unicode/utf8"

// Levels number texts in order of appearance.
type Levels struct {
	index map[string]int32
	Text  []string
}

// NewLevels returns levels without any text.
func NewLevels() *Levels { return &Levels{index: make(map[string]int32)} }

// Code gives the number of a text.
func (s *Levels) Code(text string) int32 {
	k, ok := s.index[text]
	if !ok {
		k = int32(len(s.Text))
		s.index[text] = k
		s.Text = append(s.Text, text)
	}
	return k
}

// Known gives the number of a text that has one.
func (s *Levels) Known(text string) (code int32, ok bool) {
	code, ok = s.index[text]
	return code, ok
}

// CodeOfBytes is Code without an allocation for a text known already. It panics
// with an error if the text is not UTF-8.
func (s *Levels) CodeOfBytes(b []byte) int32 {
	if k, ok := s.index[string(b)]; ok {
		return k
	}
	if !utf8.Valid(b) {
		panic(Damaged("a text value is not UTF-8: %.40q", b))
	}
	return s.Code(string(b))
}
