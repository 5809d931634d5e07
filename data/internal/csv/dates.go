package csv

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An order is a way of writing dates, as a bit of a set.
type order uint8

const (
	isoDate    order = 1 << iota // 2024-03-31, perhaps with a time and a zone
	yearFirst                    // 2024/3/31, 2024.03.31
	dayFirst                     // 31/3/2024, 31-03-2024, 31.3.2024
	monthFirst                   // 3/31/2024, 03-31-2024

	anyOrder = isoDate | yearFirst | dayFirst | monthFirst
)

// isDecided reports whether one order is left. The text 3/4/2024 may be a day in March or in April; a column
// without a value that decides is not read as dates.
func (o order) isDecided() bool { return bits.OnesCount8(uint8(o)) == 1 }

// dateOrders returns the orders in which a text is a date, or a date and a time.
func dateOrders(s string) (out order) {
	if len(s) < 8 || s[0] < '0' || s[0] > '9' {
		return 0
	}
	for o := isoDate; o <= monthFirst; o <<= 1 {
		if _, ok := parseDay(s, o); ok {
			out |= o
		}
	}
	return out
}

// A DateFormat is a format of dates with the number of rows that have it.
type DateFormat struct {
	Example string
	Rows    int
	order   order
	pattern string
}

// Dates reads texts in one date format as days since 1970-01-01 UTC; rows counts the rows of each text. If that
// is not possible, formats lists the formats found, the most frequent first: a single one if it may have the
// day or the month first, and none if no text is a date. Texts that are not dates count as a format with an
// empty pattern.
func Dates(texts []string, rows []int) (days []float64, formats []DateFormat) {
	common, dates := anyOrder, false
	for i, s := range texts {
		if rows[i] == 0 {
			continue
		}
		o := dateOrders(s)
		common &= o
		dates = dates || o != 0
		at := slices.IndexFunc(formats, func(f DateFormat) bool {
			return f.pattern == datePattern(s, o) && (f.order&o != 0 || f.order == o)
		})
		if at < 0 {
			at = len(formats)
			formats = append(formats, DateFormat{s, 0, o, datePattern(s, o)})
		}
		f := &formats[at]
		if f.Rows += rows[i]; f.order&o != f.order { // a text that leaves fewer orders is a better example
			f.order, f.Example = f.order&o, s
		}
	}
	if !dates {
		return nil, nil
	}
	slices.SortStableFunc(formats, func(a, b DateFormat) int { return b.Rows - a.Rows })
	if !common.isDecided() {
		return nil, formats
	}
	days = make([]float64, len(texts))
	for i, s := range texts {
		days[i], _ = parseDay(s, common)
	}
	return days, nil
}

// datePattern returns the separators of a date and the position of the year, or "" if s is not a date.
func datePattern(s string, o order) string {
	if o == 0 {
		return ""
	}
	date, _, _ := strings.Cut(s, " ")
	date, _, _ = strings.Cut(date, "T")
	mark := date[strings.IndexAny(date, "-/."):][:1]
	if strings.Index(date, mark) == 4 {
		return "year" + mark
	}
	return mark + "year"
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

// parseDay parses a date, or a date and a time, which is in UTC unless it has a time zone.
func parseDay(s string, o order) (days float64, ok bool) {
	if o == isoDate {
		return parseISODay(s)
	}
	date, clock, timed := strings.Cut(s, " ")
	if !timed {
		date, clock, timed = strings.Cut(s, "T")
	}
	i := strings.IndexAny(date, "-/.")
	if i < 0 {
		return 0, false
	}
	mark := date[i : i+1]
	part := strings.Split(date, mark)
	if len(part) != 3 || o == yearFirst && mark == "-" || o == monthFirst && mark == "." {
		return 0, false
	}
	switch o {
	case dayFirst:
		part[0], part[2] = part[2], part[0]
	case monthFirst:
		part[0], part[1], part[2] = part[2], part[0], part[1]
	}
	var v [3]int
	for k, p := range part {
		n, err := strconv.ParseUint(p, 10, 0)
		if err != nil || k == 0 && len(p) != 4 || k > 0 && len(p) > 2 {
			return 0, false
		}
		v[k] = int(n)
	}
	t := time.Date(v[0], time.Month(v[1]), v[2], 0, 0, 0, 0, time.UTC)
	if t.Month() != time.Month(v[1]) || t.Day() != v[2] {
		return 0, false
	}
	days = float64(t.Unix()) / 86400
	if !timed {
		return days, true
	}
	for _, layout := range [...]string{"15:04", "15:04:05", "3:04 PM", "3:04:05 PM"} {
		if at, err := time.Parse(layout, clock); err == nil {
			return days + float64(at.Hour()*3600+at.Minute()*60+at.Second())/86400 + float64(at.Nanosecond())/86400e9, true
		}
	}
	return 0, false
}

// parseISODay parses a date in ISO 8601.
func parseISODay(s string) (days float64, ok bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return float64(t.Unix())/86400 + float64(t.Nanosecond())/86400e9, true
		}
		if len(s) == 10 {
			break
		}
	}
	return 0, false
}

var layouts = [...]string{"2006-01-02", "2006-01-02 15:04:05", "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04", "2006-01-02T15:04"}
