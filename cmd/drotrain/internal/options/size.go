package options

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Size returns an option for a number of bytes: 400MB, 12GB, 1.5GiB. K, M, G and T stand for
// powers of 1024, as memory is counted.
func Size(p *int64) pflag.Value { return &sizeValue{p} }

type sizeValue struct{ p *int64 }

var sizeUnits = []string{"", "K", "M", "G", "T"}

func (v *sizeValue) String() string {
	if v.p == nil || *v.p == 0 {
		return ""
	}
	n, unit := *v.p, 0
	for unit+1 < len(sizeUnits) && n%1024 == 0 {
		n, unit = n/1024, unit+1
	}
	return fmt.Sprintf("%d%sB", n, sizeUnits[unit])
}

func (v *sizeValue) Type() string { return "size" }

func (v *sizeValue) Set(s string) error {
	text := strings.ToUpper(strings.TrimSpace(s))
	text = strings.TrimSuffix(strings.TrimSuffix(text, "B"), "I")
	scale := 1.0
	for i, u := range sizeUnits[1:] {
		if rest, ok := strings.CutSuffix(text, u); ok {
			text, scale = rest, math.Pow(1024, float64(i+1))
			break
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if n *= scale; err != nil || !(n >= 1) || n >= math.MaxInt64 {
		return Must("be a number of bytes", "as in 400MB or 12GB")
	}
	*v.p = int64(n)
	return nil
}
