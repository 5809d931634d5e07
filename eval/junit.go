package eval

import (
	"encoding/xml"
	"fmt"
	"io"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
}

// WriteJUnit writes gate results as a JUnit XML suite with one test case for each gate.
func WriteJUnit(w io.Writer, name string, gates []GateResult) error {
	s := junitSuite{Name: name, Tests: len(gates)}
	for _, g := range gates {
		c := junitCase{Class: "drotrain", Name: g.Text}
		if g.Failed {
			s.Failures++
			c.Failure = &junitFailure{g.Message}
		}
		s.Cases = append(s.Cases, c)
	}
	out, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	_, err = io.WriteString(w, xml.Header+string(out)+"\n")
	return err
}

// WriteFailure writes a metrics.json that states why rows could not be evaluated, with the results of the gates.
// [ReadEvaluation] returns the reason as an error.
func WriteFailure(w io.Writer, why string, gates []GateResult) error {
	return writeIndented(w, struct {
		Schema string       `json:"schema"`
		Error  string       `json:"error"`
		Gates  []GateResult `json:"gates"`
	}{Schema, why, gates})
}
