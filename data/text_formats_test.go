package data

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// packedText returns a text compressed by gzip.
func packedText(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A textSample is a table of one format of text: what the readers of all such formats must do.
type textSample struct {
	extension string
	text      string // three rows
	bad       string // a text of which something is wrong
	where     string // how the error names the place, by the line of the file or the row of the table
	wide      string // two rows of the same schema with another width
	widens    bool   // tables of different widths are one table
}

var textSamples = []textSample{
	{".csv", "y,x\n1,2\n0,3\n1,4\n", "y,x\n1,2\n\n0,3,5\n", "line 4", "y,x,z\n1,2,3\n0,4,5\n", false},
	{".tsv", "y\tx\n1\t2\n0\t3\n1\t4\n", "y\tx\n1\t2\n0\t3\t5\n", "line 3", "y\tx\tz\n1\t2\t3\n0\t4\t5\n", false},
	{".jsonl", "{\"y\":1,\"x\":2}\n{\"y\":0,\"x\":3}\n{\"y\":1,\"x\":4}\n", "{\"y\":1,\"x\":2}\n[1]\n", "row 2",
		"{\"y\":1,\"z\":2}\n{\"y\":0,\"z\":2}\n", false},
	{".svm", "1 1:2\n0 1:3\n1 1:4\n", "# a comment\n\n1 1:2\n0 1:3 1:4\n", "line 4", "1 1:2 900:1\n0 5:1\n", true},
	{".libsvm", "1 0:2 7:1\n0\n1 7:4\n", "1 0:2\n0 0:3 0:4\n", "line 2", "1 900:1\n0 0:1\n", true}, // indices from 0
	{".svm", "1 qid:1 1:2\n0 qid:1 1:3\n1 qid:2 2:4 # c\n", "1 qid:1 1:2\n0 1:3\n", "line 2",
		"1 qid:3 900:1\n0 qid:3\n", true},
}

// Every format of text is read alike: packed, with a byte-order mark, with other ends of lines, and without an
// extension as from a pipe, with the same rows and values; errors name the place in the file.
func TestTextFormats_Contract(t *testing.T) {
	for _, s := range textSamples {
		want := readBytes(t, "t"+s.extension, []byte(s.text))
		if want.Rows != 3 {
			t.Fatalf("%s: %d rows", s.extension, want.Rows)
		}
		mark := "\xef\xbb\xbf"
		for name, b := range map[string][]byte{
			"t" + s.extension + ".gz": packedText(t, []byte(s.text)),
			"mark" + s.extension:      []byte(mark + s.text),
			"crlf" + s.extension:      []byte(strings.ReplaceAll(s.text, "\n", "\r\n")),
			"end" + s.extension:       []byte(strings.TrimSuffix(s.text, "\n")),
			"both" + s.extension:      packedText(t, []byte(mark+strings.ReplaceAll(s.text, "\n", "\r\n"))),
		} {
			if name == "both"+s.extension {
				name += ".gz"
			}
			if d := sameFrame(readBytes(t, name, b), want); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
		for name, b := range map[string][]byte{"-": []byte(s.text), "a pipe": packedText(t, []byte(s.text))} {
			f, err := OpenReader(t.Context(), name, bytes.NewReader(b), Reading{})
			if err != nil {
				t.Errorf("%s from %s: %v", s.extension, name, err)
				continue
			}
			if d := sameFrame(f, want); d != "" {
				t.Errorf("%s from %s: %s", s.extension, name, d)
			}
			f.Close()
		}
		for name, b := range map[string][]byte{"bad" + s.extension: []byte(s.bad),
			"bad" + s.extension + ".gz": packedText(t, []byte(s.bad))} {
			_, err := ReadBytes(t.Context(), name, b)
			datatest.WantError(t, err, name+": ", s.where)
		}
		whole := packedText(t, []byte(strings.Repeat(s.text, 200)))
		if _, err := ReadBytes(t.Context(), "cut"+s.extension+".gz", whole[:len(whole)/2]); err == nil {
			t.Errorf("%s.gz: a file that is cut is read", s.extension)
		}
	}
}

// LIBSVM is recognised by its text if the name of the file does not state a format; CSV is not mistaken for it.
func TestOpen_LibsvmByText(t *testing.T) {
	const svm, text = "# c\n+1 2:0.5 7:1\n-1 1:3\n", "a b\n1 2:30\n4 5:20\n"
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"train.txt": {svm, "label x"}, "train.dat": {svm, "label x"}, "a9a": {svm, "label x"}, "a9a.t": {svm, "label x"},
		"news20.binary.gz": {string(packedText(t, []byte(svm))), "label x"}, "times.txt": {text, "a b"}, "t.csv": {svm, ""},
		"notes.doc": {text, "format of the file is unknown"}, "zip.binary": {"PK\x03\x04 1:2\n", "zip archives"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open(t.Context(), path)
		got := ""
		if err == nil {
			got = strings.Join(f.Names(), " ")
			f.Close()
		}
		switch {
		case name == "t.csv":
			if err == nil && got == "label x" {
				t.Errorf("%s: the extension is ignored", name)
			}
		case got != c.want && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: columns %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// The rules for cell values apply to labels and queries of LIBSVM as they do to columns of CSV.
func TestOpenReader_RulesForLabels(t *testing.T) {
	how := Reading{Text: TextOptions{Missing: []string{"qid=3"}}, Relabel: map[string]string{"-1": "0"}}
	for name, text := range map[string]string{"t.svm": "1 qid:3 1:2\n-1 qid:-1 2:4\n",
		"t.csv": "label,qid\n1,3\n-1,-1\n"} {
		f, err := OpenReader(t.Context(), name, strings.NewReader(text), how)
		if err != nil {
			t.Fatal(err)
		}
		label, query := f.Columns[0], f.Columns[1]
		if label.Text(0) != "1" || label.Text(1) != "0" || !query.IsNull(0) || query.Text(1) != "0" {
			t.Errorf("%s: labels %q and %q, queries %q and %q", name, label.Text(0), label.Text(1), query.Text(0), query.Text(1))
		}
		f.Close()
	}
}

// The files of a directory are one table, of all widths where vectors may have any, and else an error that names a
// file.
func TestTextFormats_DirectoryOfWidths(t *testing.T) {
	for _, s := range textSamples {
		dir := t.TempDir()
		for i, text := range []string{s.text, s.wide} {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d%s", i, s.extension)), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		f, err := Open(t.Context(), dir)
		if !s.widens {
			datatest.WantError(t, err, dir, "1"+s.extension)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", s.extension, err)
			continue
		}
		if x := f.Columns[len(f.Columns)-1]; f.Rows != 5 || x.Sparse.Rows() != 5 || x.Sparse.Width != 901 {
			t.Errorf("%s: %d rows of vectors of width %d", s.extension, f.Rows, x.Sparse.Width)
		}
		f.Close()
	}
}
