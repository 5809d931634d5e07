// Package jsonshape looks at a JSON document before encoding/json fills a Go value
// from it: keys given twice, of which encoding/json keeps the last without a word,
// and keys that the value has no field for. It imports nothing of this module;
// packages that read documents may import it.
package jsonshape

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Check compares the JSON value of doc with the type of v, a value or a pointer. It returns the paths of keys
// for which v has no field, such as "config.speed" or "trace[].color". It returns an error for repeated keys
// (in any case), a second value, invalid JSON, and a document whose values take far more memory than its text.
func Check(doc []byte, v any) (unknown []string, err error) {
	c := checker{free: 1<<20 + 8*int64(len(doc)), dec: json.NewDecoder(bytes.NewReader(doc)), seen: map[string]bool{}, types: map[reflect.Type]*shape{}}
	c.dec.UseNumber()
	if err := c.checkValue("", reflect.TypeOf(v)); err != nil {
		return nil, err
	}
	if _, err := c.dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the document")
	}
	return c.unknown, nil
}

type checker struct {
	dec     *json.Decoder
	free    int64 // bytes that elements of lists may still take
	unknown []string
	seen    map[string]bool
	types   map[reflect.Type]*shape
}

// A shape is the JSON form of a type.
type shape struct {
	plain  reflect.Type // itself without pointers, see plain
	fields []field      // of a struct
}

type field struct {
	name string
	of   reflect.Type
}

// shapeOf returns the shape of a type, computed once.
func (c *checker) shapeOf(t reflect.Type) *shape {
	if s := c.types[t]; s != nil {
		return s
	}
	s := &shape{plain: dereference(t)}
	if s.plain != nil && s.plain.Kind() == reflect.Struct {
		s.fields = fieldsOf(s.plain)
	}
	c.types[t] = s
	return s
}

// checkValue checks one value for type t; nil means any type.
func (c *checker) checkValue(path string, t reflect.Type) error {
	token, err := c.dec.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	s := c.shapeOf(t)
	if delim == '[' {
		of := element(s.plain)
		size := int64(16) // of any
		if of != nil {
			size = int64(of.Size())
			if p := dereference(of); p != nil && p != of {
				size += int64(p.Size())
			}
		}
		for c.dec.More() {
			if c.free -= size; c.free < 0 {
				return fmt.Errorf("the values of %s take far more memory than their text", path)
			}
			if err := c.checkValue(path+"[]", of); err != nil {
				return err
			}
		}
		_, err = c.dec.Token()
		return err
	}
	keys := map[string]bool{}
	for c.dec.More() {
		token, err := c.dec.Token()
		if err != nil {
			return err
		}
		key := token.(string)
		at := strings.TrimPrefix(path+"."+key, ".")
		if folded := strings.ToLower(strings.ToUpper(key)); keys[folded] { // as encoding/json folds
			return fmt.Errorf("the key %q is given twice", at)
		} else {
			keys[folded] = true
		}
		field, known := s.field(key)
		if !known && !c.seen[at] {
			c.seen[at] = true
			c.unknown = append(c.unknown, at)
		}
		if err := c.checkValue(at, field); err != nil {
			return err
		}
	}
	_, err = c.dec.Token()
	return err
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// dereference returns the type that t points to; nil for a type that unmarshals itself, or any.
func dereference(t reflect.Type) reflect.Type {
	for t != nil {
		if p := reflect.PointerTo(t); p.Implements(unmarshaler) || p.Implements(textUnmarshaler) {
			return nil
		}
		if t.Kind() != reflect.Pointer {
			break
		}
		t = t.Elem()
	}
	return t
}

func element(t reflect.Type) reflect.Type {
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		return t.Elem()
	}
	return nil
}

// field returns the type of the field in which encoding/json stores key.
func (s *shape) field(key string) (t reflect.Type, known bool) {
	if s.plain == nil {
		return nil, true
	}
	if s.plain.Kind() == reflect.Map {
		return s.plain.Elem(), true
	}
	if s.plain.Kind() != reflect.Struct {
		return nil, true // encoding/json says that the kinds differ
	}
	for _, f := range s.fields {
		if strings.EqualFold(f.name, key) {
			return f.of, true
		}
	}
	return nil, false
}

// fieldsOf returns the fields of a struct that encoding/json knows.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out = append(out, field{name, f.Type})
	}
	return out
}
