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

// Check walks the one JSON value of doc beside the type of v, a value or a pointer.
// It returns the paths of keys that v has no field for, such as "config.speed" or
// "trace[].color", each once. A key given twice, in whatever case, a second value
// and a document that is not JSON are errors.
func Check(doc []byte, v any) (unknown []string, err error) {
	c := checker{dec: json.NewDecoder(bytes.NewReader(doc)), seen: map[string]bool{}}
	c.dec.UseNumber()
	if err := c.value("", reflect.TypeOf(v)); err != nil {
		return nil, err
	}
	if _, err := c.dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the document")
	}
	return c.unknown, nil
}

type checker struct {
	dec     *json.Decoder
	unknown []string
	seen    map[string]bool
}

// value reads one value that goes into type t, nil for any.
func (c *checker) value(path string, t reflect.Type) error {
	token, err := c.dec.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	t = plain(t)
	if delim == '[' {
		for c.dec.More() {
			if err := c.value(path+"[]", element(t)); err != nil {
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
		field, known := fieldOf(t, key)
		if !known && !c.seen[at] {
			c.seen[at] = true
			c.unknown = append(c.unknown, at)
		}
		if err := c.value(at, field); err != nil {
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

// plain takes pointers away; nil stands for a type that reads itself, or any.
func plain(t reflect.Type) reflect.Type {
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

// fieldOf finds the field that encoding/json stores key in.
func fieldOf(t reflect.Type, key string) (field reflect.Type, known bool) {
	if t == nil {
		return nil, true
	}
	if t.Kind() == reflect.Map {
		return t.Elem(), true
	}
	if t.Kind() != reflect.Struct {
		return nil, true // encoding/json says that the kinds differ
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if strings.EqualFold(name, key) {
			return f.Type, true
		}
	}
	return nil, false
}
