package report

import (
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drotrain/drotrain/eval"
)

// ReadCard reads what people know of a model and a program cannot: a YAML map of
// names ("owner", "intended use", "date", "data period", …) to text, numbers,
// dates or lists of them, in the order they shall be shown.
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
	for m := doc.Content[0].Content; len(m) > 1; m = m[2:] {
		key := strings.ReplaceAll(strings.TrimSpace(m[0].Value), "_", " ")
		if m[0].Kind != yaml.ScalarNode || key == "" || seen[key] {
			return nil, fmt.Errorf("line %d: a name that is empty, given twice or no text: %q", m[0].Line, m[0].Value)
		}
		seen[key] = true
		text, err := cardText(m[1])
		if err != nil {
			return nil, err
		}
		if text != "" {
			out = append(out, eval.Fact{Key: strings.ToUpper(key[:1]) + key[1:], Value: text})
		}
	}
	return out, nil
}

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
