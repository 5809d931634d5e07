package limit

import (
	"runtime/debug"
	"testing"
)

// The runtime's limit binds where it is the tightest.
func TestLimit_OfTheRuntime(t *testing.T) {
	was := debug.SetMemoryLimit(64 << 20)
	defer debug.SetMemoryLimit(was)
	n, limit := Available()
	if n > 64<<20 || limit == "" {
		t.Errorf("%d bytes free by %s under a limit of 64 MB", n, limit)
	}
}

// A budget keeps an eighth of the memory free for garbage, and is the smaller of the limits.
func TestBudget_EighthStaysFree(t *testing.T) {
	for _, c := range []struct {
		need, total, used int64
		fits              bool
	}{{699, 1000, 175, true}, {700, 1000, 175, false}, {899, 1024, 0, false}, {895, 1024, 0, true}} {
		if (Budget{Total: c.total, Used: c.used}).Fits(c.need) != c.fits {
			t.Errorf("%d of %d, %d taken: want %v", c.need, c.total, c.used, c.fits)
		}
	}
	if b := NewBudget(1); b.Total != 1 || b.Limit != "Config.Memory" || b.Fits(1) || b.Free() > 1 {
		t.Errorf("%+v", b)
	}
}

// A limit of the heap that somebody set is left alone.
func TestLimitHeap_KeepsTheLimitThatIsSet(t *testing.T) {
	was := debug.SetMemoryLimit(64 << 20)
	defer debug.SetMemoryLimit(was)
	if got := LimitHeap(); got != 64<<20 || debug.SetMemoryLimit(-1) != 64<<20 {
		t.Errorf("the limit is %d, then %d", got, debug.SetMemoryLimit(-1))
	}
}
