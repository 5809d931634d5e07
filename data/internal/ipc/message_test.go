package ipc

import (
	"fmt"
	"strings"
	"testing"
)

// The end of a stream is a length of zero, of the old format without its mark; what ends
// before is damaged, wherever it is cut.
func TestReadStream_Ends(t *testing.T) {
	cut := func(b []byte) (m *ipcMessage, damaged bool) {
		defer func() {
			said := recover()
			if damaged = said != nil; damaged && !strings.Contains(fmt.Sprint(said), "truncated") {
				t.Errorf("% x: %v", b, said)
			}
		}()
		return cutMessage(b, 0), false
	}
	for _, end := range [][]byte{{0, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}} {
		if m, damaged := cut(end); m != nil || damaged {
			t.Errorf("% x: %+v, damaged %v", end, m, damaged)
		}
		for k := range end {
			if k == 4 {
				continue
			}
			if _, damaged := cut(end[:k]); !damaged {
				t.Errorf("% x is an end", end[:k])
			}
		}
	}
	if _, damaged := cut([]byte{0xff, 0xff, 0xff, 0xff}); !damaged {
		t.Error("a mark alone is an end")
	}
	if _, damaged := cut([]byte{8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7}); !damaged {
		t.Error("seven bytes of eight")
	}
}
