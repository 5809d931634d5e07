// Package jsonshape checks a JSON document before encoding/json decodes it into a Go value. It finds repeated keys,
// of which encoding/json silently keeps the last, and keys for which the value has no field. It imports no package
// of this module; packages that read documents may import it.
package jsonshape

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Check compares the JSON value of doc with the type of v, a value or a pointer. It returns the paths of keys for
// which v has no field, such as "config.speed" or "trace[].color". It returns an error for repeated keys
// (regardless of case, except in maps), a second value, invalid JSON, and a document whose values take far more
// memory than its text.
func Check(doc []byte, v any) (unknown []string, err error) {
	c := checker{free: 1<<20 + 8*int64(len(doc)), dec: json.NewDecoder(bytes.NewReader(doc)), seen: map[string]bool{},
		fields: map[reflect.Type][]field{}}
	c.dec.UseNumber()
	if err := c.checkValue("", reflect.TypeOf(v)); err != nil {
		return nil, err
	}
	if _, err := c.dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("the file continues after the JSON document")
	}
	return c.unknown, nil
}

type checker struct {
	dec     *json.Decoder
	free    int64 // number of bytes that elements of lists may still take
	unknown []string
	seen    map[string]bool
	fields  map[reflect.Type][]field // fields of the structs seen so far
}

type field struct {
	name string
	of   reflect.Type
}

// checkValue checks a value against type t; nil means any type.
func (c *checker) checkValue(path string, t reflect.Type) error {
	token, err := c.dec.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	t = dereference(t)
	if delim == '[' {
		of := element(t)
		size := int64(16) // size of an interface value
		if of != nil {
			size = int64(of.Size())
			if p := dereference(of); p != nil && p != of {
				size += int64(p.Size())
			}
		}
		for c.dec.More() {
			if c.free -= size; c.free < 0 {
				return fmt.Errorf("the values of %s need far more memory than their text", cmp.Or(path, "the document"))
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
		folded := key
		// keys of a map are case-sensitive, while encoding/json folds those of fields
		if t == nil || t.Kind() != reflect.Map {
			folded = strings.ToLower(strings.ToUpper(key))
		}
		if keys[folded] {
			return fmt.Errorf("the key %q occurs twice", at)
		}
		keys[folded] = true
		field, known := c.field(t, key)
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

// A Shaper unmarshals itself from the JSON of a different type, of which JSONShape returns a value.
type Shaper interface{ JSONShape() any }

// dereference returns the type to which t points, or the type that defines the shape of a [Shaper]. It returns nil
// for any and for other types that unmarshal themselves.
func dereference(t reflect.Type) reflect.Type {
	for t != nil {
		if s, ok := reflect.New(t).Interface().(Shaper); ok {
			return dereference(reflect.TypeOf(s.JSONShape()))
		}
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

// field returns the type of the field of t in which encoding/json stores key; known is false if there is none.
func (c *checker) field(t reflect.Type, key string) (field reflect.Type, known bool) {
	switch {
	case t == nil:
		return nil, true
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	case t.Kind() != reflect.Struct:
		return nil, true // encoding/json reports that the kinds differ
	}
	if _, ok := c.fields[t]; !ok {
		c.fields[t] = fieldsOf(t)
	}
	for _, f := range c.fields[t] {
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
