package table

import (
	"fmt"
	"unicode/utf8"
)

// Levels assigns numbers to texts in order of appearance.
type Levels struct {
	index map[string]int32
	Text  []string

	bytes int64 // approximate size in memory
	asked int64 // number of bytes for which the available memory was checked
}

// textBytes is the memory in bytes that a text takes in addition to its content.
const textBytes = 64

// NewLevels returns empty Levels.
func NewLevels() *Levels { return &Levels{index: make(map[string]int32)} }

// Code returns the number of a text, which it adds if it is new. It panics with an error if the memory cannot hold
// twice as many texts.
func (s *Levels) Code(text string) int32 {
	k, ok := s.index[text]
	if !ok {
		if s.bytes += int64(len(text)) + textBytes; s.bytes > 2*s.asked+16<<20 {
			s.asked = s.bytes
			if err := Afford(2*s.bytes, fmt.Sprintf("for twice the %d different strings of a column",
				len(s.Text))); err != nil {
				panic(err)
			}
		}
		k = int32(len(s.Text))
		s.index[text] = k
		s.Text = append(s.Text, text)
	}
	return k
}

// Find returns the number of a text; ok is false if the text has not been added.
func (s *Levels) Find(text string) (code int32, ok bool) {
	code, ok = s.index[text]
	return code, ok
}

// CodeOfBytes works like Code, but does not allocate memory for a known text. It panics with an error if b is not
// UTF-8.
func (s *Levels) CodeOfBytes(b []byte) int32 {
	if k, ok := s.index[string(b)]; ok {
		return k
	}
	if !utf8.Valid(b) {
		panic(Damaged("a text value is not UTF-8: %.40q", b))
	}
	return s.Code(string(b))
}
