package csv

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/drotrain/drotrain/data/internal/intake"
	"github.com/drotrain/drotrain/data/table"
)

// layouts lists the layouts of dates, which a time of day may follow.
var layouts = [...]string{"2006-1-2", "2006/1/2", "2006.1.2", "2/1/2006", "2-1-2006", "2.1.2006", "1/2/2006",
	"1-2-2006",
	"2-Jan-2006", "2 Jan 2006", "2Jan2006", "2/Jan/2006", "Jan 2 2006", "2006-Jan-2", "2 January 2006", "January 2 2006"}

// A layoutSet is a set of layouts, with one bit for each.
type layoutSet uint32

// orders lists the layouts for every order of year, month and day. If the month is written as a name, there is only
// one order.
var orders = [...]struct {
	name    string
	layouts layoutSet
}{
	{"ISO 8601", 0b1},
	{"year-first", 0b110},
	{table.DayFirst, 0b11_1000},
	{table.MonthFirst, 0b1100_0000},
	{"month-by-name", 0b1111_1111_0000_0000},
}

const anyOrder layoutSet = 1<<len(layouts) - 1

// layoutsOf returns the layouts of the order with the given name, or those of all orders if there is no such order.
func layoutsOf(name string) layoutSet {
	for _, o := range orders {
		if o.name == name {
			return o.layouts
		}
	}
	return anyOrder
}

// orUndecided returns l or, if l is the set of dates with the day first or with the month first, the layouts of all
// orders except the opposite one, so that dates in other orders are read too.
func (l layoutSet) orUndecided() layoutSet {
	switch l.order() {
	case table.DayFirst:
		return anyOrder &^ layoutsOf(table.MonthFirst)
	case table.MonthFirst:
		return anyOrder &^ layoutsOf(table.DayFirst)
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

// order returns the name of the order whose layouts l contains, or "" if there is not exactly one. The text 3/4/2024
// may be a day in March or in April. If every date of a column is ambiguous in this way, the column is not read as
// dates.
func (l layoutSet) order() string {
	for _, o := range orders {
		if l == o.layouts {
			return o.name
		}
	}
	return ""
}

// clocks lists the layouts of times of day, in upper case.
var clocks = [...]string{"15:04:05", "15:04", "3:04:05 PM", "3:04 PM", "3:04:05PM", "3:04PM"}

// zonedClocks lists the layouts of times of day with an offset from UTC.
var zonedClocks = [...]string{"15:04:05Z07:00", "15:04:05Z0700", "15:04:05Z07", "15:04Z07:00", "15:04Z0700",
	"15:04:05 Z07:00", "15:04:05 Z0700", "15:04:05 -07"}

// A moment is a date, or a date and a time.
type moment struct {
	days   float64   // days since 1970-01-01 UTC
	in     layoutSet // layouts that the text has; empty if it is not a date
	zoned  bool      // the text has an offset from UTC
	offset int       // the offset in seconds
}

// parseDate parses a date, or a date and a time, in one of the given layouts. A time without an offset is in UTC.
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

// beginsWithMonth reports whether a text begins with the English name of a month or with its first three letters.
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
		if t, err := time.Parse(layout, s); err == nil { // the time may have "am" or "pm"
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

// zoneOf returns the name, such as +02:00, of an offset from UTC in seconds.
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

// hasShortYear reports whether a text is a date whose year has two digits, so that the century is unknown.
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

// A DateFormat is a format of dates with the number of rows in that format.
type DateFormat struct {
	Example string
	Rows    int
	in      layoutSet
}

// Dates converts texts in one date format to days since 1970-01-01 UTC. rows holds the number of rows of each text,
// and order is the order of day, month and year, or "" if it is unknown. If the texts cannot be converted, formats
// lists the formats found, the most frequent first. It has one element if the day and the month cannot be told
// apart, and is empty if no text is a date. Texts that are not dates count as one format.
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
		if f.Rows += rows[i]; f.in&in != f.in { // a text with fewer possible layouts is a better example
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
	Days   float64 // days since 1970-01-01 UTC
	Zone   string  // zone of an offset from UTC; "" if there is no offset
	IsDate bool
}

// ParseDays parses every text that is a date in the given order of day, month and year. If all dates among the texts
// have one other order that cannot be mistaken for the given one, it parses the dates in that order. The other texts
// are no dates, and neither is any text if the order is "" and the texts do not show one.
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

// DaysOf returns the number of days from 1970-01-01 UTC to t.
func DaysOf(t time.Time) float64 {
	return float64(t.Unix())/86400 + float64(t.Nanosecond())/86400e9
}

// TimeOf returns the time that is the given number of days after 1970-01-01 UTC.
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

// DayParser returns a function that converts a date without a time zone to days since 1970-01-01. The date must be
// in the given order, or in an order that the date itself shows.
func DayParser(order string) func(text string) (days float64, ok bool) {
	return func(text string) (days float64, ok bool) {
		day := ParseDays([]string{text}, order)[0]
		if !day.IsDate {
			day = ParseDays([]string{text}, "")[0]
		}
		return day.Days, day.IsDate && day.Zone == ""
	}
}
