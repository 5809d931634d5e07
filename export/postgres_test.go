//go:build unix

package export

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// PostgreSQL scores the edge rows as the model does, in a database made for the test.
func TestPostgres_ScoresAsTheModel(t *testing.T) {
	if os.Getenv("DROTRAIN_POSTGRES") == "" {
		t.Skip("DROTRAIN_POSTGRES is not set: this makes and starts a database, which takes seconds")
	}
	run := startPostgres(t)
	for name, formulas := range trained(t) {
		c := newPeerCase(t, formulas, name)
		sql, err := encodeFormulas(formulas, SQL, Options{Dialect: "postgres", Table: `"rows of ` + name + `"`}, "test")
		if err != nil {
			t.Fatal(err)
		}
		query := strings.TrimSuffix(strings.TrimSpace(string(sql)), ";")
		want := slices.Concat(c.Want, make([][]float64, len(c.Nulls)+len(c.Unscored)), c.WantFar)
		c.Rows = slices.Concat(c.Rows, c.Nulls, c.Unscored, c.Far)
		scores := []string{c.Score}
		if c.Classes != nil {
			scores = nil
			for _, class := range c.Classes {
				scores = append(scores, must(must(findDialect("postgres")).identifier("probability_"+class)))
			}
		}
		out := run(postgresTable(t, c) + fmt.Sprintf("SELECT concat_ws('|', %s) || '|' FROM (%s) AS scored ORDER BY id;\n",
			strings.Join(scores, ", "), query))
		lines := strings.Fields(out)
		if len(lines) != len(c.Rows) {
			t.Fatalf("%s: %d scores of %d rows\n%s", name, len(lines), len(c.Rows), out)
		}
		worst := 0.0
		for i, line := range lines {
			if line == "|" { // no score, also where a number is large
				large := slices.ContainsFunc(c.Rows[i], func(v any) bool {
					x, ok := v.(float64)
					return ok && !(math.Abs(x) < 1e120)
				})
				if want[i] != nil && (i < len(c.Want) || !large) {
					t.Errorf("%s, %v: no score, wanted %v", name, c.Rows[i], want[i])
				}
				continue
			}
			if want[i] == nil {
				t.Errorf("%s, %v: %s, wanted none", name, c.Rows[i], line)
				continue
			}
			for k, text := range strings.Split(strings.TrimSuffix(line, "|"), "|") {
				least := 1e-300
				if i >= len(c.Want) {
					least = 1e-100
				}
				if c.Classes != nil {
					least = 1 // a probability among several is a share of 1
				}
				got, err := strconv.ParseFloat(text, 64)
				off := math.Abs(got-want[i][k]) / max(math.Abs(want[i][k]), least)
				if worst = max(worst, off); err != nil || !(off <= peerTolerance) {
					t.Errorf("%s, %v: %s, wanted %v", name, c.Rows[i], line, want[i])
				}
			}
		}
		t.Logf("%s: %d rows, largest relative difference %.1e", name, len(lines), worst)
	}
}

// postgresTable returns the script that makes the table of a case and fills it.
func postgresTable(t *testing.T, c peerCase) string {
	d := must(findDialect("postgres"))
	types := map[string]string{"number": "DOUBLE PRECISION", "date": "DATE", "text": "TEXT", "bool": "BOOLEAN"}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE \"rows of %s\" (id INTEGER", c.Name)
	for k, column := range c.Columns {
		switch {
		case c.Vector[k] == "":
			fmt.Fprintf(&b, ", %s %s", must(d.identifier(column)), types[c.Types[k]])
		case !slices.Contains(c.Vector[:k], c.Vector[k]):
			fmt.Fprintf(&b, ", %s DOUBLE PRECISION[]", must(d.identifier(c.Vector[k])))
		}
	}
	b.WriteString(");\n")
	cell := func(k int, v any) string {
		switch v := v.(type) {
		case float64:
			if c.Types[k] == "date" {
				return fmt.Sprintf("DATE '1970-01-01' + %d", int(v))
			}
			return d.numeral(v)
		case bool:
			return fmt.Sprint(v)
		case string:
			return must(d.quoteText("'%s'", v))
		}
		return "NULL"
	}
	for i, row := range c.Rows {
		fmt.Fprintf(&b, "INSERT INTO \"rows of %s\" VALUES (%d", c.Name, i)
		for k, v := range row {
			switch vector := c.Vector[k]; {
			case vector == "":
				b.WriteString(", " + cell(k, v))
			case !slices.Contains(c.Vector[:k], vector):
				entries := make([]string, 1)
				for at := range c.Columns {
					if c.Vector[at] == vector {
						for len(entries) <= c.Entry[at] {
							entries = append(entries, "0")
						}
						entries[c.Entry[at]] = cell(at, row[at])
					}
				}
				fmt.Fprintf(&b, ", ARRAY[%s]::float8[]", strings.Join(entries, ", "))
			}
		}
		b.WriteString(");\n")
	}
	return b.String()
}

// startPostgres runs a server on a socket of its own and returns what runs a script
// in it. It is skipped where PostgreSQL is not installed.
func startPostgres(t *testing.T) func(script string) string {
	bin := ""
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin",
		"/opt/homebrew/opt/postgresql*/bin", "/usr/bin", "/usr/local/bin"} {
		dirs, _ := filepath.Glob(pattern)
		for _, dir := range dirs {
			if bin == "" && hasAll(dir, "initdb", "pg_ctl", "psql") {
				bin = dir
			}
		}
	}
	if bin == "" {
		t.Skip("PostgreSQL is not installed: no initdb")
	}
	dir, err := os.MkdirTemp("", "postgres") // a short name, for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	var as *syscall.SysProcAttr
	if os.Getuid() == 0 { // the server refuses to run as root
		const nobody = 65534
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	call := func(stdin, name string, args ...string) (string, error) {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir, cmd.SysProcAttr, cmd.Stdin = dir, as, strings.NewReader(stdin)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s%s", name, err, out.String(), errs.String())
		}
		return out.String(), nil
	}
	rows := filepath.Join(dir, "db")
	if _, err := call("", "initdb", "-D", rows, "-U", "drotrain", "-A", "trust", "-E", "UTF8", "--locale=C",
		"--no-sync"); err != nil {
		t.Fatal(err)
	}
	if _, err := call("", "pg_ctl", "-D", rows, "-w", "-l", filepath.Join(dir, "log"), "-o",
		"-c listen_addresses='' -c fsync=off -k "+dir, "start"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := call("", "pg_ctl", "-D", rows, "-m", "immediate", "stop"); err != nil {
			t.Error(err)
		}
	})
	return func(script string) string {
		out, err := call(script, "psql", "-h", dir, "-U", "drotrain", "-d", "postgres", "-X", "-q", "-A", "-t", "-v",
			"ON_ERROR_STOP=1")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

func hasAll(dir string, names ...string) bool {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
