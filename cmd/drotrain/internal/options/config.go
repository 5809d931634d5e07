package options

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// isKey reports whether an option is a key of a configuration file.
func isKey(f *pflag.Flag) bool {
	return f != nil && !f.Hidden && f.Name != "help" && !has(f, effectKey, "meta")
}

// ApplyConfig sets the options of fs from the YAML file at path. The keys are
// the long options; an option given on the command line wins over its key.
func ApplyConfig(fs *pflag.FlagSet, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return exit.Usagef("--config names a YAML file", "cannot read the configuration: %w", err)
	}
	defer f.Close()
	return ApplyYAML(fs, path, f)
}

// Limits of a configuration: bytes of the file and errors that are listed.
const (
	maxConfigSize = 1 << 20
	maxErrors     = 20
)

// ApplyYAML sets the options of fs from YAML, as ApplyConfig does; path names it in errors.
func ApplyYAML(fs *pflag.FlagSet, path string, r io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(r, maxConfigSize+1))
	if err != nil {
		return exit.Usagef("", "cannot read the configuration: %w", err)
	}
	if len(b) > maxConfigSize {
		return exit.Usagef("keep the options of one run in a file", "%s: a configuration has at most %d bytes", path, maxConfigSize)
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil // an empty file sets nothing
	case err != nil:
		return yamlError(path, err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return yamlError(path, err)
		}
		return exit.Usagef("keep one set of keys in a file", "%s:%d: a second YAML document", path, more.Line)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return exit.Usagef("write lines like `target: deny`", "%s:%d: the configuration must be keys and values, not %s",
			path, root.Line, kindName(root))
	}
	var all []error
	lines := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if len(all) == maxErrors {
			all = append(all, exit.Usagef("", "no more keys are read after %d errors", maxErrors))
			break
		}
		key, value := root.Content[i], root.Content[i+1]
		at := fmt.Sprintf("%s:%d", path, key.Line)
		flag := fs.Lookup(key.Value)
		if !isKey(flag) {
			all = append(all, exit.Usagef(configHint(fs, key.Value), "%s: unknown key %q", at, key.Value))
			continue
		}
		if first := lines[key.Value]; first > 0 {
			all = append(all, exit.Usagef("", "%s: key %q is already set on line %d", at, key.Value, first))
			continue
		}
		lines[key.Value] = key.Line
		if flag.Changed {
			continue // the command line wins
		}
		if err := setFromNode(flag, at, value); err != nil {
			all = append(all, err)
			continue
		}
		flag.Changed = true // as on the command line
	}
	return together(path, all)
}

// configHint names the key that was meant, in the spelling of the options.
func configHint(fs *pflag.FlagSet, key string) string {
	var names []string
	fs.VisitAll(func(f *pflag.Flag) {
		if isKey(f) {
			names = append(names, f.Name)
		}
	})
	key = strings.TrimLeft(key, "-")
	if hint := elsewhereHint(fs, key); hint != "" {
		return hint
	}
	if hint := DidYouMean(key, names, ""); hint != "" {
		return hint
	}
	return "the keys are the long options that --help lists"
}

// setFromNode gives flag the value of a YAML node of the right type.
func setFromNode(flag *pflag.Flag, at string, node *yaml.Node) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	what := at + ": " + flag.Name
	wrong := func(want string) error {
		return exit.Usagef("", "%s: must be %s, not %s", what, want, kindName(node))
	}
	switch v := flag.Value.(type) {
	case *ListValue:
		return setList(v, node, what, wrong)
	case *gatesValue:
		if node.Kind == yaml.SequenceNode {
			for _, item := range node.Content {
				if err := setFromNode(flag, at, item); err != nil {
					return err
				}
			}
			return nil
		}
	case *floatValue:
		if node.Kind != yaml.ScalarNode || node.Tag != "!!float" && node.Tag != "!!int" {
			return wrong("a number")
		}
		return setScalar(flag, what, strings.ReplaceAll(node.Value, "_", ""))
	case *countValue, *seedValue:
		if node.Kind != yaml.ScalarNode || node.Tag != "!!int" {
			return wrong("a whole number")
		}
		return setScalar(flag, what, strings.ReplaceAll(node.Value, "_", ""))
	}
	if flag.Value.Type() == "bool" {
		if node.Kind != yaml.ScalarNode || node.Tag != "!!bool" {
			return wrong("true or false")
		}
		return setScalar(flag, what, node.Value)
	}
	// A word may look like a number or a truth value: `positive: 1`.
	if node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return wrong("a word")
	}
	if _, isEnum := flag.Value.(*enumValue); isEnum && node.Tag != "!!str" {
		return wrong("one of " + strings.ReplaceAll(flag.Value.Type(), "|", ", "))
	}
	return setScalar(flag, what, node.Value)
}

func setList(v *ListValue, node *yaml.Node, what string, wrong func(string) error) error {
	switch {
	case node.Kind == yaml.SequenceNode:
		names := make([]string, 0, len(node.Content))
		for _, item := range node.Content {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				return exit.Usagef("", "%s: item %d must be a name, not %s", what, len(names)+1, kindName(item))
			}
			names = append(names, item.Value)
		}
		if err := v.add(names); err != nil {
			return exit.Usagef("", "%s: %w", what, err)
		}
		return nil
	case node.Kind == yaml.ScalarNode && node.Tag == "!!str":
		if err := v.Set(node.Value); err != nil {
			return invalidValue(what, node.Value, err)
		}
		return nil
	}
	return wrong("a list of names")
}

func setScalar(flag *pflag.Flag, what, value string) error {
	if err := flag.Value.Set(value); err != nil {
		return invalidValue(what, value, err)
	}
	return nil
}

// kindName returns what a node is, in words.
func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "keys and values"
	case yaml.AliasNode:
		return kindName(n.Alias)
	}
	switch n.Tag {
	case "!!null":
		return "empty"
	case "!!str":
		return fmt.Sprintf("the text %q", n.Value)
	}
	return n.Value
}

// yamlError puts the file in front of "yaml: line 3: …" as file:3.
func yamlError(path string, err error) error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if n, _ := fmt.Sscanf(msg, "line %d:", &line); n == 1 {
		_, rest, _ := strings.Cut(msg, ": ")
		return exit.Usagef("", "%s:%d: not valid YAML: %s", path, line, rest)
	}
	return exit.Usagef("", "%s: not valid YAML: %s", path, msg)
}
