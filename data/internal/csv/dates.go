package csv

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// layouts lists the layouts of dates; a time of day may follow.
var layouts = [...]string{"2006-01-02", "2006/1/2", "2006.1.2", "2/1/2006", "2-1-2006", "2.1.2006", "1/2/2006", "1-2-2006"}

// A layoutSet is a set of layouts: a bit for each.
type layoutSet uint8

// The layouts of every order of year, month and day.
const (
	isoDate    layoutSet = 0b0000_0001
	yearFirst  layoutSet = 0b0000_0110
	dayFirst   layoutSet = 0b0011_1000
	monthFirst layoutSet = 0b1100_0000
	anyOrder   layoutSet = 0b1111_1111
)

var orders = [...]layoutSet{isoDate, yearFirst, dayFirst, monthFirst}

// orders returns the layouts of all orders that have a layout in l.
func (l layoutSet) orders() (all layoutSet) {
	for _, o := range orders {
		if l&o != 0 {
			all |= o
		}
	}
	return all
}

// isDecided reports whether l is one order. The text 3/4/2024 may be a day in March or in April; a column
// without a value that decides is not read as dates.
func (l layoutSet) isDecided() bool { return slices.Contains(orders[:], l) }

// clocks lists the layouts of times of day.
var clocks = [...]string{"15:04:05", "15:04", "15:04:05Z07:00", "3:04:05 PM", "3:04 PM"}

// parseDate parses a date, or a date and a time, which is in UTC unless it has a time zone. It returns the days
// since 1970-01-01 UTC and those of the layouts that s has; none if s is not a date in one of them.
func parseDate(s string, among layoutSet) (days float64, in layoutSet) {
	if len(s) < 8 || s[0] < '0' || s[0] > '9' {
		return 0, 0
	}
	date, clock, timed := strings.Cut(strings.Replace(s, "T", " ", 1), " ")
	var sinceMidnight time.Duration
	if timed {
		var ok bool
		if sinceMidnight, ok = parseClock(clock); !ok {
			return 0, 0
		}
	}
	for i, layout := range layouts {
		if among&(1<<i) == 0 {
			continue
		}
		if t, err := time.Parse(layout, date); err == nil {
			days, in = DaysOf(t.Add(sinceMidnight)), in|1<<i
		}
	}
	return days, in
}

// parseClock parses a time of day.
func parseClock(s string) (sinceMidnight time.Duration, ok bool) {
	for _, layout := range clocks {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)), true
		}
	}
	return 0, false
}

// A DateFormat is a format of dates with the number of rows that have it.
type DateFormat struct {
	Example string
	Rows    int
	in      layoutSet
}

// Dates reads texts in one date format as days since 1970-01-01 UTC; rows counts the rows of each text. If that
// is not possible, formats lists the formats found, the most frequent first: a single one if it may have the
// day or the month first, and none if no text is a date. Texts that are not dates count as one format.
func Dates(texts []string, rows []int) (days []float64, formats []DateFormat) {
	common := anyOrder
	for i, s := range texts {
		if rows[i] == 0 {
			continue
		}
		_, in := parseDate(s, anyOrder)
		common &= in.orders()
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
	if !common.isDecided() {
		slices.SortStableFunc(formats, func(a, b DateFormat) int { return cmp.Compare(b.Rows, a.Rows) })
		return nil, formats
	}
	days = make([]float64, len(texts))
	for i, s := range texts {
		days[i], _ = parseDate(s, common)
	}
	return days, nil
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
