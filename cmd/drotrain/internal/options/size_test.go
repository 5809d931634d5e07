package options

import "testing"

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{"400MB": 400 << 20, "12G": 12 << 30, "1.5 GiB": 3 << 29, "1024": 1024, "2kb": 2048, "1T": 1 << 40, "3072T": 3 << 50, "77B": 77} {
		var n int64
		v := Size(&n)
		if err := v.Set(text); err != nil || n != want {
			t.Errorf("%q: %d, %v; want %d", text, n, err, want)
		}
		var again int64
		if err := Size(&again).Set(v.String()); err != nil || again != n {
			t.Errorf("%q is shown as %q, which is %d, %v", text, v.String(), again, err)
		}
	}
	for _, text := range []string{"", "MB", "-1", "0", "0.5", "nan", "inf", "1e30", "12XB", "1 000"} {
		n := int64(7)
		if err := Size(&n).Set(text); err == nil || n != 7 {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
}
