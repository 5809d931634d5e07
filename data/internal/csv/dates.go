package csv

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data/internal/intake"
)

// layouts lists the layouts of dates; a time of day may follow.
var layouts = [...]string{"2006-1-2", "2006/1/2", "2006.1.2", "2/1/2006", "2-1-2006", "2.1.2006", "1/2/2006",
	"1-2-2006",
	"2-Jan-2006", "2 Jan 2006", "2Jan2006", "2/Jan/2006", "Jan 2 2006", "2006-Jan-2", "2 January 2006", "January 2 2006"}

// A layoutSet is a set of layouts: a bit for each.
type layoutSet uint32

// orders lists the layouts of every order of year, month and day. Where the month has a name, there is only one.
var orders = [...]struct {
	name    string
	layouts layoutSet
}{
	{"ISO 8601", 0b1},
	{"year-first", 0b110},
	{DayFirst, 0b11_1000},
	{MonthFirst, 0b1100_0000},
	{"month-by-name", 0b1111_1111_0000_0000},
}

// DayFirst and MonthFirst are the orders that a date may leave open, as 3/4/2024 does.
const (
	DayFirst   = "day-first"
	MonthFirst = "month-first"
)

const anyOrder layoutSet = 1<<len(layouts) - 1

// layoutsOf returns the layouts of the order with a name, or of all orders.
func layoutsOf(name string) layoutSet {
	for _, o := range orders {
		if o.name == name {
			return o.layouts
		}
	}
	return anyOrder
}

// orUndecided returns the layouts of all orders but day or month first if l is one of these, so that dates of other
// orders are read, too.
func (l layoutSet) orUndecided() layoutSet {
	switch l.order() {
	case DayFirst:
		return anyOrder &^ layoutsOf(MonthFirst)
	case MonthFirst:
		return anyOrder &^ layoutsOf(DayFirst)
	}
	return l
}

// allOrders returns the layouts of all orders that have a layout in l.
func (l layoutSet) allOrders() (all layoutSet) {
	for _, o := range orders {
		if l&o.layouts != 0 {
			all |= o.layouts
		}
	}
	return all
}

// order returns the name of the order that l is, or "". The text 3/4/2024 may be a day in March or in April; a
// column without a value that decides is not read as dates.
func (l layoutSet) order() string {
	for _, o := range orders {
		if l == o.layouts {
			return o.name
		}
	}
	return ""
}

// clocks lists the layouts of times of day, in capital letters.
var clocks = [...]string{"15:04:05", "15:04", "3:04:05 PM", "3:04 PM", "3:04:05PM", "3:04PM"}

// zonedClocks lists the clocks with an offset from UTC.
var zonedClocks = [...]string{"15:04:05Z07:00", "15:04:05Z0700", "15:04:05Z07", "15:04Z07:00", "15:04Z0700",
	"15:04:05 Z07:00", "15:04:05 Z0700", "15:04:05 -07"}

// A moment is a date, or a date and a time.
type moment struct {
	days   float64   // since 1970-01-01 UTC
	in     layoutSet // the layouts that the text has; none if it is no date
	zoned  bool      // it has an offset from UTC
	offset int       // that, in seconds
}

// parseDate parses a date, or a date and a time, which is in UTC unless it has an offset.
func parseDate(s string, among layoutSet) (m moment) {
	if len(s) < 8 || s[0] > '9' && !beginsWithMonth(s) || s[0] < '0' {
		return m
	}
	date, timed := s, strings.IndexByte(s, ':')
	var sinceMidnight time.Duration
	if timed > 0 {
		at := strings.LastIndexAny(s[:timed], " T")
		if at < 0 {
			return m
		}
		var ok bool
		date = strings.TrimRight(s[:at], " ")
		if sinceMidnight, m.zoned, m.offset, ok = parseClock(s[at+1:]); !ok {
			return moment{}
		}
	}
	date = strings.Replace(date, ", ", " ", 1)
	for i, layout := range layouts {
		if among&(1<<i) == 0 {
			continue
		}
		if t, err := time.Parse(layout, date); err == nil {
			m.days, m.in = DaysOf(t.Add(sinceMidnight)), m.in|1<<i
		}
	}
	if m.in == 0 {
		return moment{}
	}
	return m
}

// beginsWithMonth reports whether a text begins with the English name of a month, or its first three letters.
func beginsWithMonth(s string) bool {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(s[:3], m.String()[:3]) {
			return true
		}
	}
	return false
}

// parseClock parses a time of day, with its offset from UTC in seconds if it has one.
func parseClock(s string) (sinceMidnight time.Duration, zoned bool, offset int, ok bool) {
	midnight := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, layout := range clocks {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Sub(midnight), false, 0, true
		}
	}
	s = strings.ToUpper(s)
	for _, name := range []string{" UTC", " GMT"} {
		if rest, utc := strings.CutSuffix(s, name); utc {
			s = rest + "Z"
		}
	}
	for _, layout := range clocks {
		if t, err := time.Parse(layout, s); err == nil { // am or pm
			return t.Sub(midnight), false, 0, true
		}
	}
	for _, layout := range zonedClocks {
		if t, err := time.Parse(layout, s); err == nil {
			_, offset = t.Zone()
			return t.Sub(midnight), true, offset, true
		}
	}
	return 0, false, 0, false
}

// zoneOf returns the zone of an offset from UTC in seconds, as in +02:00.
func zoneOf(offset int) string {
	if offset == 0 {
		return intake.UTC
	}
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	return fmt.Sprintf("%c%02d:%02d", sign, offset/3600, offset/60%60)
}

// hasShortYear reports whether a text is a date whose year has two digits, which do not tell the century.
func hasShortYear(s string) bool {
	date, _, _ := strings.Cut(s, " ")
	for _, layout := range [...]string{"2/1/06", "2-1-06", "2.1.06", "1/2/06", "1-2-06", "06/1/2", "06-1-2", "2-Jan-06",
		"2Jan06"} {
		if _, err := time.Parse(layout, date); err == nil {
			return true
		}
	}
	return false
}

// A DateFormat is a format of dates with the number of rows that have it.
type DateFormat struct {
	Example string
	Rows    int
	in      layoutSet
}

// Dates reads texts in one date format as days since 1970-01-01 UTC; rows counts the rows of each text, and order names
// the order of day, month and year if it is known. If
// that is not possible, formats lists the formats found, the most frequent first: a single one if it may have the
// day or the month first, and none if no text is a date. Texts that are not dates count as one format.
func Dates(texts []string, rows []int, order string) (days []float64, formats []DateFormat) {
	common := layoutsOf(order)
	for i, s := range texts {
		if rows[i] == 0 {
			continue
		}
		in := parseDate(s, layoutsOf(order)).in
		common &= in.allOrders()
		at := slices.IndexFunc(formats, func(f DateFormat) bool { return f.in&in != 0 || f.in|in == 0 })
		if at < 0 {
			at = len(formats)
			formats = append(formats, DateFormat{s, 0, in})
		}
		f := &formats[at]
		if f.Rows += rows[i]; f.in&in != f.in { // a text that has fewer layouts is a better example
			f.in, f.Example = f.in&in, s
		}
	}
	if len(formats) == 1 && formats[0].in == 0 {
		return nil, nil
	}
	if common.order() == "" {
		slices.SortStableFunc(formats, func(a, b DateFormat) int { return cmp.Compare(b.Rows, a.Rows) })
		return nil, formats
	}
	days = make([]float64, len(texts))
	for i, s := range texts {
		days[i] = parseDate(s, common).days
	}
	return days, nil
}

// A Day is a text read as a date, or as a date and a time.
type Day struct {
	Days   float64 // since 1970-01-01 UTC
	Zone   string  // of an offset from UTC; "" without one
	IsDate bool
}

// ParseDays reads every text that is a date in the order of training, or in another order that all dates among the
// texts have and that is not mistaken for it.
func ParseDays(texts []string, order string) []Day {
	common := layoutsOf(order).orUndecided()
	for _, s := range texts {
		if m := parseDate(s, common); m.in != 0 {
			common &= m.in.allOrders()
		}
	}
	if common.order() == "" {
		common = layoutsOf(order)
	}
	days := make([]Day, len(texts))
	if common.order() == "" {
		return days
	}
	for i, s := range texts {
		if m := parseDate(s, common); m.in != 0 {
			days[i] = Day{Days: m.days, IsDate: true}
			if m.zoned {
				days[i].Zone = zoneOf(m.offset)
			}
		}
	}
	return days
}

// DaysOf returns the days from 1970-01-01 UTC to t.
func DaysOf(t time.Time) float64 {
	return float64(t.Unix())/86400 + float64(t.Nanosecond())/86400e9
}

// TimeOf returns the time that is days after 1970-01-01 UTC.
func TimeOf(days float64) time.Time {
	whole := math.Floor(days)
	return time.Unix(int64(whole)*86400+int64(math.Round((days-whole)*86400)), 0).UTC()
}

// FormatDay formats days since 1970-01-01 UTC as a date, with the time of day unless it is midnight.
func FormatDay(days float64) string {
	if days == math.Floor(days) {
		return TimeOf(days).Format(time.DateOnly)
	}
	return TimeOf(days).Format(time.DateTime)
}

// DayParser returns a function that reads a date without a time zone, in an order or in one that the date itself shows,
// as days since 1970-01-01.
func DayParser(order string) func(text string) (days float64, ok bool) {
	return func(text string) (days float64, ok bool) {
		day := ParseDays([]string{text}, order)[0]
		if !day.IsDate {
			day = ParseDays([]string{text}, "")[0]
		}
		return day.Days, day.IsDate && day.Zone == ""
	}
}
