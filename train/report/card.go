package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/suggest"
)

// ReadCard reads what people know of a model and a program cannot: a YAML map of
// names ("owner", "intended use", "date", "data period", …) to text, numbers,
// dates or lists of them, in the order they shall be shown. Other names are taken too, but
// for those that are next to one of cardFields; the error has all that is wrong.
func ReadCard(r io.Reader) ([]eval.Fact, error) {
	var doc yaml.Node
	d := yaml.NewDecoder(io.LimitReader(r, 1<<20))
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("a model card is a YAML map of names to text: %w", err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: a model card is a YAML map of names to text, as in \"owner: Risk team\"", max(1, doc.Line))
	}
	seen := make(map[string]bool)
	var out []eval.Fact
	var wrong []string
	for m := doc.Content[0].Content; len(m) > 1; m = m[2:] {
		key := strings.ReplaceAll(strings.TrimSpace(m[0].Value), "_", " ")
		if m[0].Kind != yaml.ScalarNode || key == "" || seen[key] {
			wrong = append(wrong, fmt.Sprintf("line %d: a name that is empty, given twice or no text: %q", m[0].Line, m[0].Value))
			continue
		}
		seen[key] = true
		if near := misspelt(key); near != "" {
			wrong = append(wrong, fmt.Sprintf("line %d: no field is called %q: did you mean %q?", m[0].Line, m[0].Value, near))
		}
		text, err := cardText(m[1])
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		if text != "" {
			out = append(out, eval.Fact{Key: strings.ToUpper(key[:1]) + key[1:], Value: text})
		}
	}
	if wrong != nil {
		return nil, errors.New(strings.Join(wrong, "; "))
	}
	return out, nil
}

// cardFields are the names that model cards have, most of them of Mitchell et al. (2019).
var cardFields = []string{
	"owner", "contact", "date", "data", "data period", "data source", "intended use", "out of scope", "purpose", "users", "model",
	"version", "licence", "license", "limitations", "ethical considerations", "factors", "metrics", "monitoring",
	"approved by", "reviewed by", "review date", "next review", "status", "citation", "note", "notes",
}

// misspelt returns the field that a name is near to without being one; "" for those of cards and
// for names of people's own.
func misspelt(name string) string {
	if slices.Contains(cardFields, strings.ToLower(name)) {
		return ""
	}
	for _, near := range suggest.Nearest(name, cardFields, len(cardFields)) {
		if longer := len(name) - len(near); -3 < longer && longer < 3 { // "data owner" is no slip
			return near
		}
	}
	return ""
}

// cardText writes a value of a model card in one line.
func cardText(n *yaml.Node) (string, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return strings.TrimSpace(n.Value), nil
	case yaml.SequenceNode:
		var items []string
		for _, c := range n.Content {
			s, err := cardText(c)
			if err != nil {
				return "", err
			}
			items = append(items, s)
		}
		return strings.Join(items, "; "), nil
	}
	return "", fmt.Errorf("line %d: text, or a list of texts, is needed here", n.Line)
}
