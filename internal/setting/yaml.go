package setting

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drotrain/drotrain/internal/printable"
)

// Limits for a configuration: its size in bytes, and the number of errors after which it is not checked further.
const (
	maxBytes  = 1 << 20
	maxErrors = 20
)

// Keys describes the keys of a configuration.
type Keys struct {
	// finds the value of a key; v is nil if the value of a known key is not used
	Find    func(key string) (v *Value, known bool)
	Unknown func(key string) (hint string) // returns a hint for an unknown key
	Done    func(key string)               // called for every key that was set; may be nil
}

// ApplyYAML sets values from a YAML document of keys and values. It returns the errors, up to maxErrors of them, with
// their lines; path is the name of the document. Errors may have a hint.
func ApplyYAML(path string, r io.Reader, keys Keys) []error {
	b, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return []error{fmt.Errorf("cannot read the configuration: %w", err)}
	}
	one := func(hint, format string, args ...any) []error {
		return []error{&Error{fmt.Sprintf(format, args...), hint}}
	}
	if len(b) > maxBytes {
		return one("write the options of one run per file", "%s: a configuration file may have at most %d bytes", path,
			maxBytes)
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil // an empty configuration contains no settings
	case err != nil:
		return []error{syntaxError(path, err)}
	}
	if err := dec.Decode(&more); err == nil {
		return one("write one YAML document per file", "%s:%d: a second YAML document begins", path, more.Line)
	} else if !errors.Is(err, io.EOF) {
		return []error{syntaxError(path, err)}
	}
	root := doc.Content[0]
	switch {
	case root.Kind == yaml.ScalarNode && root.Tag == "!!null":
		return nil
	case root.Kind != yaml.MappingNode:
		return one("write lines like `target: deny`", "%s:%d: the configuration must be keys and values, not %s", path,
			root.Line, nodeText(root))
	}
	var all []error
	lines := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if len(all) == maxErrors {
			return append(all, one("", "%s:%d: checking stopped at this key, after %d errors", path, root.Content[i].Line,
				maxErrors)...)
		}
		key, value := root.Content[i], root.Content[i+1]
		at := fmt.Sprintf("%s:%d", path, key.Line)
		v, known := keys.Find(key.Value)
		switch first := lines[key.Value]; {
		case !known:
			all = append(all, one(keys.Unknown(key.Value), "%s: unknown key %q", at, key.Value)...)
			continue
		case first > 0:
			all = append(all, one("", "%s: key %q is already set on line %d", at, key.Value, first)...)
			continue
		}
		lines[key.Value] = key.Line
		if v == nil {
			continue
		}
		if err := v.setNode(value); err != nil {
			all = append(all, addPlace(at+": "+key.Value, value, err))
		} else if keys.Done != nil {
			keys.Done(key.Value)
		}
	}
	return all
}

// addPlace adds the place of a value, and the value itself if it is text, to an error.
func addPlace(place string, node *yaml.Node, err error) error {
	hint := ""
	var e interface{ Hint() string }
	if errors.As(err, &e) {
		hint = e.Hint()
	}
	if isText(node) {
		place += fmt.Sprintf(" %q", printable.ShortenMiddle(node.Value, 200))
	}
	return &Error{place + ": " + err.Error(), hint}
}

// isText reports whether a node is a single value.
func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag != "!!null" }

// setNode sets the value from a YAML node. A single value is set from its text, as on the command line, and a list
// is set item by item.
func (v *Value) setNode(node *yaml.Node) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	isList := node.Kind == yaml.SequenceNode
	switch {
	case isText(node) && (v.kind == "float" || v.kind == "int"):
		return v.Set(strings.ReplaceAll(node.Value, "_", ""))
	case isText(node):
		return v.Set(node.Value)
	case isList && v.names != nil:
		var names []string
		for _, item := range node.Content {
			if !isText(item) {
				return fmt.Errorf("item %d must be a name, not %s", len(names)+1, nodeText(item))
			}
			names = append(names, item.Value)
		}
		return v.add(names)
	case isList && v.repeats:
		for _, item := range node.Content {
			if err := v.setNode(item); err != nil {
				return err
			}
		}
		return nil
	case v.names != nil:
		return fmt.Errorf("must be a list of names, not %s", nodeText(node))
	}
	return fmt.Errorf("must be one value, not %s", nodeText(node))
}

// nodeText describes a node.
func nodeText(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case isText(n):
		return strconv.Quote(printable.ShortenMiddle(n.Value, 200))
	}
	return "empty"
}

// syntaxError replaces "yaml: line 3: …" by path:3.
func syntaxError(path string, err error) error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if n, _ := fmt.Sscanf(msg, "line %d:", &line); n == 1 {
		_, rest, _ := strings.Cut(msg, ": ")
		return fmt.Errorf("%s:%d: not valid YAML: %s", path, line, rest)
	}
	return fmt.Errorf("%s: not valid YAML: %s", path, msg)
}
