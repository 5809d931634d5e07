package export

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/score"
)

// WriteGoTest writes the test of the source that Write writes with Go: rows with
// every level, one that training did not see, nulls and numbers far out, and the
// scores that m gives them.
func WriteGoTest(w io.Writer, m *train.Model, o Options) error {
	f, err := m.Formula()
	if err != nil {
		return err
	}
	if err := check(f); err != nil {
		return err
	}
	out, err := goTest(f, o)
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

func goTest(f *score.Formula, o Options) ([]byte, error) {
	pkg, err := o.goPackage()
	if err != nil {
		return nil, err
	}
	scorer := score.New(f)
	fields := goFields(f)
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n\"math\"\n\"testing\"\n)\n\nfunc at[T any](v T) *T { return &v }\n\nfunc TestScore(t *testing.T) {\nfor i, c := range []struct {\nrow Row\nwant float64\n}{\n", pkg)
	for _, row := range edgeRows(f) {
		want, err := scorer.Values(row...)
		if err != nil {
			return nil, err
		}
		if math.IsInf(want, 0) {
			continue
		}
		b.WriteString("{Row{")
		for i, v := range row {
			fmt.Fprintf(&b, "%s: %s, ", fields[i], goValue(f.Terms[i], v))
		}
		fmt.Fprintf(&b, "}, %s},\n", goNumber(want))
	}
	b.WriteString("} {\nif got := Score(&c.row); !(math.Abs(got-c.want) <= 1e-12*math.Max(1, math.Abs(c.want))) {\nt.Errorf(\"row %d: %v, not %v\", i, got, c.want)\n}\n}\n}\n\nvar _ = at[bool]\n")
	return format.Source(b.Bytes())
}

func goValue(t score.Term, v any) string {
	pointer := strings.HasPrefix(goType(t), "*")
	var s string
	switch v := v.(type) {
	case nil:
		if pointer {
			return "nil"
		}
		if goType(t) == "float64" {
			return "math.NaN()"
		}
		return strconv.Quote("")
	case float64:
		s = goNumber(v)
	case bool:
		s = strconv.FormatBool(v)
	case string:
		s = strconv.Quote(v)
	}
	if pointer {
		return "at(" + s + ")"
	}
	return s
}
