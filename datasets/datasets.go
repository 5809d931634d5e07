// Package datasets embeds small data sets in the binary, each with a card that states its source, columns, licence
// and how it was made.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package datasets

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/printable"
)

// Prefix marks the name of a built-in data set in place of a path.
const Prefix = "builtin:"

// Info describes a data set.
type Info struct {
	Name    string      `json:"name"`
	Title   string      `json:"title"`
	Rows    int         `json:"rows"`
	Columns int         `json:"columns"`
	Task    encode.Task `json:"task"`
	Target  string      `json:"target"` // the target that is usually chosen
	Unit    string      `json:"unit"`   // unit of the usual target; "" if it has two classes
	Groups  []string    `json:"groups"` // the groups that are usually chosen
	Licence string      `json:"licence"`

	// GroupsUnknown reports that the groups are not known at prediction time and therefore must not be
	// features.
	GroupsUnknown bool `json:"groups_unknown,omitempty"`

	Caution string `json:"caution,omitempty"` // warning in the card for models of the usual target
}

//go:embed files/cps1988.parquet
var cps1988 []byte

//go:embed files/hmda.parquet
var hmda []byte

//go:embed files/cps1988.md
var cps1988Card string

//go:embed files/hmda.md
var hmdaCard string

//go:embed files/digits.parquet
var digits []byte

//go:embed files/digits.md
var digitsCard string

//go:embed files/loans.parquet
var loans []byte

//go:embed files/loans.md
var loansCard string

//go:embed files/loans-next.parquet
var loansNext []byte

//go:embed files/loans-next.md
var loansNextCard string

type entry struct {
	Info
	bytes []byte
	card  string
}

func entries() []entry {
	return []entry{
		{Info{Name: "cps1988", Title: "Wages of men in the US, March 1988", Rows: 28155, Columns: 7, Task: encode.Regression,
			Target: "wage", Unit: "1992 US dollars per week", Groups: []string{"ethnicity",
				"region"}, Licence: "public domain (US Census Bureau); as packaged in AER (GPL-2 or GPL-3)"}, cps1988, cps1988Card},
		{Info{Name: "digits", Title: "Handwritten digits with a simulated colour", Rows: 1797, Columns: 67, Task: encode.Binary,
			Target: "size", Groups: []string{"agrees"}, GroupsUnknown: true, Licence: "CC BY 4.0 (UCI Machine Learning " +
				"Repository); the colour is simulated"}, digits, digitsCard},
		{Info{Name: "hmda", Title: "Mortgage denials in Boston, 1990", Rows: 2380, Columns: 14, Task: encode.Binary,
			Target: "deny", Groups: []string{"afam"}, Licence: "published by the Federal Reserve Bank of Boston; as packaged " +
				"in AER (GPL-2 or GPL-3)",
			Caution: "insurance is decided together with the mortgage and is not known at prediction time: leave it out"}, hmda,
			hmdaCard},
		{Info{Name: "loans", Title: "Loan applications, simulated", Rows: 2000, Columns: 8, Task: encode.Binary,
			Target: "deny", Groups: []string{"region", "sex"}, Licence: "Apache-2.0 (simulated)"}, loans, loansCard},
		{Info{Name: "loans-next", Title: "Loan applications of the next period, simulated", Rows: 1000, Columns: 8,
			Task:   encode.Binary,
			Target: "deny", Groups: []string{"region", "sex"}, Licence: "Apache-2.0 (simulated)",
			Caution: "deny is missing in 40 rows that are not decided yet: leave them out with --filter 'deny is not null'"},
			loansNext, loansNextCard},
	}
}

// List returns descriptions of the data sets, ordered by name.
func List() []Info {
	var out []Info
	for _, e := range entries() {
		out = append(out, e.Info)
	}
	return out
}

// find returns the data set with the given name, with or without Prefix.
func find(name string) (entry, error) {
	short := strings.TrimPrefix(name, Prefix)
	var names []string
	for _, e := range entries() {
		if e.Name == short {
			return e, nil
		}
		names = append(names, e.Name)
	}
	hint := "there are " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	if near := printable.Nearest(short, names, 2); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return entry{}, fmt.Errorf("there is no built-in data set %q (%s)", short, hint)
}

// Get returns the description of the data set with the given name. If the name is unknown, the error suggests
// similar names. Here and in the functions below, the name may begin with Prefix.
func Get(name string) (Info, error) {
	e, err := find(name)
	return e.Info, err
}

// Open returns the table of a data set. The path of its only source is Prefix + name.
func Open(name string) (*data.Frame, error) {
	e, err := find(name)
	if err != nil {
		return nil, err
	}
	return data.ReadBytes(context.Background(), Prefix+e.Name, e.bytes)
}

// Bytes returns a copy of the Parquet file of a data set.
func Bytes(name string) ([]byte, error) {
	e, err := find(name)
	if err != nil {
		return nil, err
	}
	return append([]byte(nil), e.bytes...), nil
}

// Card returns the description of a data set as Markdown.
func Card(name string) (string, error) {
	e, err := find(name)
	return e.card, err
}
