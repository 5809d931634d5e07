package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/printable"
)

// ReadCard reads a model card, a YAML map, into Card, Labels and Unit. Its keys ("owner", "intended use", "date",
// "data period", …) map to text, numbers, dates or lists of these, and are shown in the order of the file. Any key is
// accepted unless it looks like a misspelling of a common one. "labels" maps group labels, or parts of them, to the
// texts shown instead, as in "afam=yes: Black applicants". "unit" is the unit of a numeric target, such as "USD per
// week". The error lists all problems.
func (o *Options) ReadCard(r io.Reader) error {
	var facts []eval.Fact
	var labels map[string]string
	var doc yaml.Node
	d := yaml.NewDecoder(io.LimitReader(r, 1<<20))
	if err := d.Decode(&doc); err != nil {
		return fmt.Errorf("a model card must be a YAML map from names to text: %w", err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a model card is a YAML map from names to text, as in \"owner: Risk team\"",
			max(1, doc.Line))
	}
	seen := make(map[string]bool)
	var wrong []string
	for m := doc.Content[0].Content; len(m) > 1; m = m[2:] {
		key := strings.ReplaceAll(strings.TrimSpace(m[0].Value), "_", " ")
		if m[0].Kind != yaml.ScalarNode || key == "" || seen[key] {
			wrong = append(wrong, fmt.Sprintf("line %d: the name %q is empty, repeated or not a text", m[0].Line, m[0].Value))
			continue
		}
		seen[key] = true
		if near := suggestCardKey(key); near != "" {
			wrong = append(wrong, fmt.Sprintf("line %d: no field is called %q: did you mean %q?", m[0].Line, m[0].Value, near))
		}
		if key == "labels" && m[1].Kind == yaml.MappingNode {
			if err := m[1].Decode(&labels); err != nil {
				wrong = append(wrong, fmt.Sprintf("line %d: labels must be a map from text to text", m[1].Line))
			}
			continue
		}
		text, err := cardText(m[1])
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		if key == "unit" {
			o.Unit = text
		} else if text != "" {
			facts = append(facts, eval.Fact{Key: printable.Capitalise(key), Value: text})
		}
	}
	if wrong != nil {
		return errors.New(strings.Join(wrong, "; "))
	}
	o.Card, o.Labels = facts, labels
	return nil
}

// relabelGroups replaces group labels, or the parts of labels separated by " / ", by the labels of the card. A
// grouping keeps its labels if the new ones would not be unique.
func (o Options) relabelGroups(groups []encode.Grouping) []encode.Grouping {
	if len(o.Labels) == 0 {
		return groups
	}
	out := slices.Clone(groups)
	for k, g := range out {
		seen := make(map[string]bool)
		labels := make([]string, len(g.Labels))
		for i, label := range g.Labels {
			text, whole := o.Labels[label]
			if !whole {
				parts := strings.Split(label, " / ")
				for j, p := range parts {
					parts[j] = cmp.Or(o.Labels[p], p)
				}
				text = strings.Join(parts, " / ")
			}
			labels[i], seen[text] = text, true
		}
		if len(seen) == len(labels) {
			out[k].Labels = labels
		}
	}
	return out
}

// cardFields lists the common keys of model cards, most of them from Mitchell et al. (2019).
var cardFields = []string{
	"owner", "contact", "date", "data", "data period", "data source", "intended use", "out of scope", "purpose", "users",
	"model",
	"version", "licence", "license", "limitations", "ethical considerations", "factors", "metrics", "monitoring",
	"approved by", "reviewed by", "review date", "next review", "status", "citation", "note", "notes", "unit", "labels",
}

// suggestCardKey returns the key in cardFields of which name seems to be a misspelling, or "".
func suggestCardKey(name string) string {
	if slices.Contains(cardFields, strings.ToLower(name)) {
		return ""
	}
	for _, near := range printable.Nearest(name, cardFields, len(cardFields)) {
		if longer := len(name) - len(near); -3 < longer && longer < 3 { // "data owner" is not a typing error
			return near
		}
	}
	return ""
}

// cardText formats a value of a model card, a text or a list of texts, on one line.
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
	return "", fmt.Errorf("line %d: expected a string or a list of strings", n.Line)
}
