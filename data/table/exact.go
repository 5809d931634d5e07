package table

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data/internal/numeral"
)

// An ExactType describes the meaning of the 64-bit integers in [Column.Int]. Decimals of more than 18 digits are
// stored as texts instead. The Type of such a column is the name of its ExactType.
type ExactType struct {
	Form      Form
	Bits      int    // stored size of a value in bits: 32, 64, 128 or 256
	PerSecond int64  // units per second of times, timestamps and durations
	Zone      string // name or offset of the time zone of timestamps; "" if they have none
	Precision int32  // number of digits of decimals
	Scale     int32  // number of digits after the decimal point
}

// A Form is the family of an [ExactType].
type Form uint8

// The forms.
const (
	SignedForm Form = iota + 1
	UnsignedForm
	DecimalForm
	DateForm // days, or 64-bit milliseconds
	TimeForm // time of day
	TimestampForm
	DurationForm
)

// SmallPrecision is the maximum precision of decimals whose digits fit in an int64.
const SmallPrecision = 18

// MsPerDay is the number of milliseconds in a day.
const MsPerDay = 86400e3

var unitNames = map[int64]string{1: "s", 1e3: "ms", 1e6: "us", 1e9: "ns"}

var unitsByName = map[string]int64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}

// String returns the name that Arrow uses for the type: int64, decimal(9, 2), date32, time64[us], timestamp[us,
// tz=UTC], duration[ns].
func (e ExactType) String() string {
	switch e.Form {
	case SignedForm:
		return "int64"
	case UnsignedForm:
		return "uint64"
	case DecimalForm:
		width := ""
		if e.Bits == 256 && e.Precision <= 38 {
			width = "256"
		}
		return fmt.Sprintf("decimal%s(%d, %d)", width, e.Precision, e.Scale)
	case DateForm:
		return fmt.Sprintf("date%d", e.Bits)
	case TimeForm:
		return fmt.Sprintf("time%d[%s]", e.Bits, unitNames[e.PerSecond])
	case DurationForm:
		return fmt.Sprintf("duration[%s]", unitNames[e.PerSecond])
	}
	if e.Zone != "" {
		return fmt.Sprintf("timestamp[%s, tz=%s]", unitNames[e.PerSecond], e.Zone)
	}
	return fmt.Sprintf("timestamp[%s]", unitNames[e.PerSecond])
}

// ParseExactType returns the ExactType whose [ExactType.String] is name; ok is false if there is none.
func ParseExactType(name string) (e ExactType, ok bool) {
	switch name {
	case "int64":
		return ExactType{Form: SignedForm, Bits: 64}, true
	case "uint64":
		return ExactType{Form: UnsignedForm, Bits: 64}, true
	case "date32":
		return ExactType{Form: DateForm, Bits: 32}, true
	case "date64":
		return ExactType{Form: DateForm, Bits: 64}, true
	}
	at := strings.IndexAny(name, "([")
	if at < 0 || at+1 > len(name)-1 {
		return e, false
	}
	head, rest := name[:at], name[at+1:len(name)-1]
	switch head {
	case "decimal", "decimal256":
		digits, scale, _ := strings.Cut(rest, ", ")
		p, err := strconv.ParseInt(digits, 10, 32)
		s, err2 := strconv.ParseInt(scale, 10, 32)
		e = ExactType{Form: DecimalForm, Bits: 128, Precision: int32(p), Scale: int32(s)}
		if head == "decimal256" || p > 38 {
			e.Bits = 256
		}
		return e, err == nil && err2 == nil
	case "time32":
		e = ExactType{Form: TimeForm, Bits: 32}
	case "time64":
		e = ExactType{Form: TimeForm, Bits: 64}
	case "duration":
		e = ExactType{Form: DurationForm, Bits: 64}
	case "timestamp":
		e = ExactType{Form: TimestampForm, Bits: 64}
		rest, e.Zone, _ = strings.Cut(rest, ", tz=")
	default:
		return e, false
	}
	e.PerSecond, ok = unitsByName[rest]
	return e, ok
}

// HasTexts reports whether the values of the type are texts, because an int64 cannot hold them.
func (e ExactType) HasTexts() bool { return e.Form == DecimalForm && e.Precision > SmallPrecision }

// Float returns the number that represents v if a column is used as numbers: days for dates and timestamps, seconds
// for times and durations. exact reports whether a float64 represents all digits of an integer or a decimal.
func (e ExactType) Float(v int64) (x float64, exact bool) {
	switch e.Form {
	case UnsignedForm:
		return float64(uint64(v)), numeral.IsExactUint64(v)
	case DecimalForm:
		return numeral.Decimal(v, e.Scale), numeral.IsExactInt64(v)
	case DateForm:
		if e.Bits == 64 {
			return float64(v) / MsPerDay, true
		}
		return float64(v), true
	case TimestampForm:
		return float64(v) / (86400 * float64(e.PerSecond)), true
	case TimeForm, DurationForm:
		return float64(v) / float64(e.PerSecond), true
	}
	return float64(v), numeral.IsExactInt64(v)
}

// Text returns v as a text without loss of precision: the digits of a number, 2024-03-31, 23:59:59.5,
// 2024-03-31T23:59:59.5 with a final Z for timestamps with a time zone, or the seconds of a duration. It panics if
// e is not a type that ParseExactType can return.
func (e ExactType) Text(v int64) string {
	switch e.Form {
	case UnsignedForm:
		return strconv.FormatUint(uint64(v), 10)
	case DecimalForm:
		return numeral.FormatDecimal(strconv.FormatInt(v, 10), e.Scale)
	case DateForm:
		days, rest := v, int64(0)
		if e.Bits == 64 {
			days, rest = numeral.FloorDiv(v, MsPerDay)
		}
		day := time.Unix(days*86400, 0).UTC().Format(time.DateOnly)
		if rest != 0 {
			return day + "T" + clockText(rest, 1e3)
		}
		return day
	case TimeForm:
		return clockText(v, e.PerSecond)
	case DurationForm:
		digits := numeral.FormatDecimal(strconv.FormatInt(v, 10), int32(len(strconv.FormatInt(e.PerSecond, 10))-1))
		if strings.Contains(digits, ".") {
			digits = strings.TrimSuffix(strings.TrimRight(digits, "0"), ".")
		}
		return digits
	case TimestampForm:
		seconds, fraction := numeral.FloorDiv(v, e.PerSecond)
		days, second := numeral.FloorDiv(seconds, 86400)
		text := time.Unix(days*86400, 0).UTC().Format(time.DateOnly) + "T" +
			clockText(second*e.PerSecond+fraction, e.PerSecond)
		if e.Zone != "" {
			text += "Z"
		}
		return text
	}
	return strconv.FormatInt(v, 10)
}

// clockText returns a time of day such as 23:59:59, with the decimals of its unit if it is not a whole second.
func clockText(v, perSecond int64) string {
	second, fraction := numeral.FloorDiv(v, perSecond)
	text := fmt.Sprintf("%02d:%02d:%02d", second/3600, second/60%60, second%60)
	if fraction != 0 {
		digits := len(strconv.FormatInt(perSecond, 10)) - 1
		text += fmt.Sprintf(".%0*d", digits, fraction)
	}
	return text
}

// DecimalText returns a big-endian two's complement number, divided by 10^scale, with all its digits. It panics
// with an error if there are more digits than the precision.
func (e ExactType) DecimalText(b []byte) string {
	digits := numeral.ParseTwosComplement(b).String()
	if len(strings.TrimPrefix(digits, "-")) > int(e.Precision) {
		panic(Damaged("%.80s has more than the %d digits of its type", digits, e.Precision))
	}
	return numeral.FormatDecimal(digits, e.Scale)
}

// DecimalInt returns a big-endian two's complement number of at most SmallPrecision digits. It panics with an
// error if there are more digits than the precision.
func (e ExactType) DecimalInt(b []byte) int64 {
	n := numeral.ParseTwosComplement(b)
	if !n.IsInt64() {
		panic(Damaged("a decimal has more than the %d digits of its type", e.Precision))
	}
	return e.CheckDigits(n.Int64())
}

// CheckDigits returns v, the integer of a decimal. It panics with an error if v has more digits than the precision.
func (e ExactType) CheckDigits(v int64) int64 {
	limit := int64(1)
	for range min(e.Precision, SmallPrecision) {
		limit *= 10
	}
	if v >= limit || v <= -limit {
		panic(Damaged("%d has more than the %d digits of its type", v, e.Precision))
	}
	return v
}

// AsBits returns the type of a column whose Number holds the bits of exact values, from which [Column.LoadInts]
// sets Int. For types whose values are texts, it returns the name of the type itself.
func (e ExactType) AsBits() string {
	if e.HasTexts() {
		return e.String()
	}
	return numeral.BitsOf + e.String()
}

// ExactType returns the type of the exact values that the column holds in Int or, of long decimals, as texts; ok is
// false if it holds none.
func (c *Column) ExactType() (e ExactType, ok bool) {
	if c.Int == nil && c.Kind != Categorical {
		return e, false
	}
	e, ok = ParseExactType(c.Type)
	return e, ok && e.HasTexts() == (c.Kind == Categorical)
}

// AsTexts returns a column in memory with the texts of the values, or the column itself if its values are texts.
func (c *Column) AsTexts() *Column {
	if c.Kind == Categorical && c.Type == "string" || !c.Kind.IsScalar() {
		return c
	}
	levels := NewLevels()
	out := &Column{Name: c.Name, Type: "string", Kind: Categorical, Null: c.Null, Of: c.Of, Vector: c.Vector,
		Code: make([]int32, c.Len())}
	for i := range out.Code {
		if out.Code[i] = -1; !c.IsNull(i) {
			out.Code[i] = levels.Code(c.Text(i))
		}
	}
	out.Level = levels.Text
	return out
}
