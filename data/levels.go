package data

import "unicode/utf8"

// A levelSet numbers texts in order of appearance.
type levelSet struct {
	index map[string]int32
	level []string
}

func newLevelSet() *levelSet { return &levelSet{index: make(map[string]int32)} }

func (s *levelSet) codeOf(text string) int32 {
	k, ok := s.index[text]
	if !ok {
		k = int32(len(s.level))
		s.index[text] = k
		s.level = append(s.level, text)
	}
	return k
}

// codeOfBytes is codeOf without an allocation for a text known already.
func (s *levelSet) codeOfBytes(b []byte) int32 {
	if k, ok := s.index[string(b)]; ok {
		return k
	}
	if !utf8.Valid(b) {
		panic(errDamaged("a text value is not UTF-8: %.40q", b))
	}
	return s.codeOf(string(b))
}
