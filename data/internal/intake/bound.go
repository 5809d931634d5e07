package intake

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data/internal/numeral"
	"github.com/drotrain/drotrain/data/table"
)

// A Bound is a number to compare the integers of exact values with: Floor or, if Between is set, a number
// between Floor and the next integer.
type Bound struct {
	Floor   *big.Int
	Between bool
}

// Compare returns the sign of v − b.
func (b Bound) Compare(v *big.Int) int {
	c := v.Cmp(b.Floor)
	if c == 0 && b.Between {
		return -1
	}
	return c
}

// maxBoundDigits is the maximum number of digits before the decimal point.
const maxBoundDigits = 2000

// ParseBound returns a decimal number multiplied by 10^scale, without rounding; ok is false if text is not a number
// or is too large.
func ParseBound(text string, scale int32) (b Bound, ok bool) {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(text), "e")
	shift := int64(scale)
	if scientific {
		e, err := strconv.ParseInt(exponent, 10, 32)
		if err != nil {
			return b, false
		}
		shift += e
	}
	negative := strings.HasPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(strings.TrimLeft(mantissa, "+-"), ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if strings.Trim(whole+fraction, "0123456789") != "" || whole+fraction == "" {
		return b, false
	}
	shift -= int64(len(fraction)) // the number is digits·10^shift
	switch at := int64(len(digits)) + shift; {
	case digits == "":
		digits = "0"
	case at > maxBoundDigits:
		return b, false
	case shift >= 0:
		digits += strings.Repeat("0", int(shift))
	default:
		b.Between = strings.Trim(digits[max(at, 0):], "0") != ""
		digits = "0" + digits[:max(at, 0)]
	}
	b.Floor, ok = new(big.Int).SetString(digits, 10)
	if ok && negative {
		b.Floor.Neg(b.Floor)
		if b.Between {
			b.Floor.Sub(b.Floor, big.NewInt(1))
		}
	}
	return b, ok
}

// A Moment is a date, or a date and a time of day, as written in a text.
type Moment struct {
	Time  time.Time // in UTC unless Zoned is set
	Zoned bool      // the text has an offset from UTC
}

// ParseMoment parses a date or time in ISO 8601: 2024-03-31, 2024-03-31T23:59, 2024-03-31 23:59:59.5 or, with an
// offset from UTC, 2024-03-31T23:59:59Z or 2024-03-31T23:59:59+01:00.
func ParseMoment(text string) (m Moment, ok bool) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return Moment{Time: t}, true
	}
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + strings.TrimLeft(text[10:], " ")
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return Moment{Time: t}, true
		}
		if t, err := time.Parse(layout+"Z07:00", text); err == nil {
			return Moment{Time: t.UTC(), Zoned: true}, true
		}
	}
	return m, false
}

// AtWallClock returns the moment at which clocks in the given location show the date and time of m. m must not have an
// offset.
func (m Moment) AtWallClock(place *time.Location) Moment {
	t := m.Time
	return Moment{time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), place).UTC(),
		true}
}

// Bound returns the moment in the units of type e, which is that of dates or timestamps.
func (m Moment) Bound(e table.ExactType) Bound {
	perDay, perSecond := int64(0), e.PerSecond
	switch {
	case e.Form == table.DateForm && e.Bits == 64:
		perSecond = 1e3
	case e.Form == table.DateForm:
		perDay, perSecond = 86400, 1
	}
	step := 1e9 / perSecond
	fraction, rest := numeral.FloorDiv(int64(m.Time.Nanosecond()), step)
	count := new(big.Int).Mul(big.NewInt(m.Time.Unix()), big.NewInt(perSecond))
	count.Add(count, big.NewInt(fraction))
	b := Bound{count, rest != 0}
	if perDay > 0 {
		left := new(big.Int)
		count.DivMod(count, big.NewInt(perDay), left)
		b.Between = b.Between || left.Sign() != 0
	}
	return b
}

// ParseZone returns the location of a time zone, given by a name such as Europe/Berlin or an offset such as +01:00.
func ParseZone(name string) (*time.Location, error) {
	if t, err := time.Parse("-07:00", name); err == nil {
		_, seconds := t.Zone()
		return time.FixedZone(name, seconds), nil
	}
	return time.LoadLocation(name)
}
