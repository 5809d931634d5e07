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
func TestPostgres(t *testing.T) {
	if os.Getenv("DROTRAIN_POSTGRES") == "" {
		t.Skip("DROTRAIN_POSTGRES is not set: this makes and starts a database, which takes seconds")
	}
	run := startPostgres(t)
	for name, f := range trained(t) {
		c := newPeerCase(t, f, name)
		sql, err := sqlSelect(f, Options{Dialect: "postgres", Table: `"rows of ` + name + `"`})
		if err != nil {
			t.Fatal(err)
		}
		score := strings.TrimSuffix(strings.TrimSpace(string(sql)), ";")
		edges := len(c.Rows)
		c.Rows = slices.Concat(c.Rows, c.Far, c.Nulls, c.Unscored)
		out := run(postgresTable(t, c) + fmt.Sprintf("SELECT coalesce(%s::text, 'null') FROM (%s) AS scored ORDER BY id;\n", c.Score, score))
		lines := strings.Fields(out)
		if len(lines) != len(c.Rows) {
			t.Fatalf("%s: %d scores of %d rows\n%s", name, len(lines), len(c.Rows), out)
		}
		for i, line := range lines[edges:] {
			if i >= len(c.Far) {
				if line != "null" {
					t.Errorf("%s, %v: %s, wanted null", name, c.Rows[edges+i], line)
				}
				continue
			}
			want := c.WantFar[i]
			if got, err := strconv.ParseFloat(line, 64); line != "null" && (want == nil || err != nil || !(math.Abs(got-*want) <= peerTolerance*math.Max(math.Abs(*want), 1e-100))) ||
				line == "null" && want != nil && !slices.ContainsFunc(c.Far[i], func(v any) bool { x, ok := v.(float64); return ok && !(math.Abs(x) < 1e120) }) {
				t.Errorf("%s, %v: %s, wanted %v", name, c.Far[i], line, printed(want))
			}
		}
		worst := 0.0
		for i, want := range c.Want {
			got, err := strconv.ParseFloat(lines[i], 64)
			off := math.Abs(got-want) / max(math.Abs(want), 1e-300)
			if worst = max(worst, off); err != nil || !(off <= peerTolerance) {
				t.Errorf("%s, %v: %s, wanted %v", name, c.Rows[i], lines[i], want)
			}
		}
		t.Logf("%s: %d rows, largest relative difference %.1e", name, len(c.Want), worst)
	}
}

// postgresTable makes the table of a case and fills it.
func postgresTable(t *testing.T, c peerCase) string {
	d := dialects["postgres"]
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE \"rows of %s\" (id INTEGER", c.Name)
	for k, column := range c.Columns {
		name, err := d.identifier(column)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, ", %s %s", name, map[string]string{"number": d.double, "date": "DATE", "text": d.text, "bool": d.boolean}[c.Types[k]])
	}
	b.WriteString(");\n")
	for i, row := range c.Rows {
		fmt.Fprintf(&b, "INSERT INTO \"rows of %s\" VALUES (%d", c.Name, i)
		for k, v := range row {
			switch v := v.(type) {
			case nil:
				b.WriteString(", NULL")
			case float64:
				if c.Types[k] == "date" {
					fmt.Fprintf(&b, ", DATE '1970-01-01' + %d", int(v))
				} else {
					b.WriteString(", " + d.number(v))
				}
			case bool:
				fmt.Fprintf(&b, ", %v", v)
			case string:
				s, err := d.literal(v)
				if err != nil {
					t.Fatal(err)
				}
				b.WriteString(", " + s)
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
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/bin", "/usr/local/bin"} {
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
	if _, err := call("", "initdb", "-D", rows, "-U", "drotrain", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		t.Fatal(err)
	}
	if _, err := call("", "pg_ctl", "-D", rows, "-w", "-l", filepath.Join(dir, "log"), "-o", "-c listen_addresses='' -c fsync=off -k "+dir, "start"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := call("", "pg_ctl", "-D", rows, "-m", "immediate", "stop"); err != nil {
			t.Error(err)
		}
	})
	return func(script string) string {
		out, err := call(script, "psql", "-h", dir, "-U", "drotrain", "-d", "postgres", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1")
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

// printed returns v in digits, or null.
func printed(v *float64) string {
	if v == nil {
		return "null"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
