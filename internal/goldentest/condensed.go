package goldentest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// Condensed is a JSON document in a few lines: for every list and object by its path, of at
// most two keys, how many numbers, texts, nulls and truths it holds, a sum of the numbers that shows a change of
// any by a millionth of itself, and a checksum of the texts without their numbers.
func Condensed(t testing.TB, document []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	at := make(map[string]*condensed)
	gather(at, "", 0, v)
	var out strings.Builder
	for _, path := range slices.Sorted(maps.Keys(at)) {
		fmt.Fprintf(&out, "%s: %s\n", path, at[path])
	}
	return out.String()
}

// A condensed is what lies below a path.
type condensed struct {
	numbers, texts, nulls, truths int
	sum                           float64
	check                         uint32
}

// number takes a number as its logarithm, so that all count alike whatever their size, times
// a weight of its place, so that none can take another's.
func (c *condensed) number(v float64) {
	place := 1 + float64(c.numbers*7%11)/10
	c.sum += place * math.Copysign(math.Log1p(math.Abs(v)*1e6), v)
	c.numbers++
}

func (c *condensed) String() string {
	var said []string
	if c.numbers > 0 {
		said = append(said, fmt.Sprintf("%d numbers %.6f", c.numbers, c.sum))
	}
	if c.texts > 0 {
		said = append(said, fmt.Sprintf("%d texts %d", c.texts, c.check))
	}
	if c.nulls > 0 {
		said = append(said, fmt.Sprintf("%d nulls", c.nulls))
	}
	if c.truths > 0 {
		said = append(said, fmt.Sprintf("%d true", c.truths))
	}
	if said == nil {
		return "nothing"
	}
	return strings.Join(said, ", ")
}

// gather adds what lies below a path, of so many keys, in the order of the keys.
func gather(at map[string]*condensed, path string, keys int, v any) {
	if of, is := v.(map[string]any); is {
		for _, k := range slices.Sorted(maps.Keys(of)) {
			below, depth := path, keys
			switch of[k].(type) {
			case map[string]any, []any:
				if keys < 2 {
					below, depth = strings.TrimPrefix(path+"."+k, "."), keys+1
				}
			}
			gather(at, below, depth, of[k])
		}
		return
	}
	if at[path] == nil {
		at[path] = &condensed{}
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			gather(at, path, keys, x)
		}
	case json.Number:
		f, _ := v.Float64()
		at[path].number(f)
	case string:
		at[path].texts++
		at[path].check = crc32.Update(at[path].check, crc32.IEEETable, []byte(Number.ReplaceAllString(v, "0")+"\n"))
	case nil:
		at[path].nulls++
	case bool:
		if v {
			at[path].truths++
		}
	}
}
