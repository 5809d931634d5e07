package data

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A check of the size sees lower bounds that end with the number of rows, and its error ends the reading at once.
func TestWithSizeCheck_EndsReading(t *testing.T) {
	const rows = 200_000
	var csv, lines strings.Builder
	csv.WriteString("a,b\n")
	for i := range rows {
		fmt.Fprintf(&csv, "%d,x%d\n", i, i%7)
		fmt.Fprintf(&lines, `{"a":%d,"b":"x%d"}`+"\n", i, i%7)
	}
	for name, text := range map[string]string{"t.csv": csv.String(), "t.jsonl": lines.String()} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var sizes []int
			most := rows
			read := int64(0)
			ctx := WithProgress(context.Background(), func(p Progress) { read = p.Read })
			refusal := &Error{Msg: "too large"}
			ctx = WithSizeCheck(ctx, func(least Size) error {
				sizes = append(sizes, least.Rows)
				if least.Rows > rows || least.Rows > 0 && !slices.Equal(least.Columns, []string{"a", "b"}) {
					t.Errorf("at least %d rows of %q", least.Rows, least.Columns)
				}
				if least.Rows > most {
					return refusal
				}
				return nil
			})
			f, err := Open(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			if last := sizes[len(sizes)-1]; last != rows {
				t.Errorf("at least %d rows in the end, not %d", last, rows)
			}
			most = rows / 2
			before := read // about twice the size of the file
			if _, err := Open(ctx, path); !errors.Is(err, refusal) {
				t.Errorf("%v, not the error of the check", err)
			}
			if read -= before; read > before/2 {
				t.Errorf("%d bytes were read, and %d without the error", read, before)
			}
		})
	}
}
