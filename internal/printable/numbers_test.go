package printable

import (
	"math"
	"testing"
)

// Numbers as people read them, on both sides of every change of style.
func TestNumbers_AtEveryChangeOfStyle(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want string
	}{
		{Number(0), "0"}, {Number(nan), "–"}, {Number(inf), "–"}, {Number(9.9e-5), "9.9\u00a0×\u00a010⁻⁵"},
		{Number(1e-4), "0.0001"},
		{Number(0.0999), "0.0999"}, {Number(0.1), "0.100"}, {Number(-9.994), "−9.994"}, {Number(10), "10.00"},
		{Number(99.99), "99.99"},
		{Number(100), "100.0"}, {Number(999.9), "999.9"}, {Number(1000), Count(1000)}, {Number(9999999), Count(9999999)},
		{Number(1e7), "1.0\u00a0×\u00a010⁷"},
		{NumberAtScale(0.5, 0), "0.500"}, {NumberAtScale(0.5, 0.0999), "0.5000"}, {NumberAtScale(0.5, 0.1), "0.500"},
		{NumberAtScale(0.5, 9.99), "0.500"}, {NumberAtScale(0.5, 10), "0.50"},
		{NumberAtScale(0.5, 99), "0.50"}, {NumberAtScale(0.5, 100), "0.5"}, {NumberAtScale(0.5, 999), "0.5"},
		{NumberAtScale(853.5, 1000), "854"}, {NumberAtScale(-0.4, 1000), "0"}, {NumberAtScale(0.5, 9e-5), "0.500"},
		{NumberAtScale(1458.72, 249), "1\u202f458.7"}, {NumberAtScale(-1458.72, 24.9), "−1\u202f458.72"},
		{NumberAtScale(0.5, 1e-4), "0.5000"}, {NumberAtScale(0.5, nan), "0.500"}, {NumberAtScale(nan, 1), "–"},
		{NumberAtScale(-inf, 1), "–"}, {NumberAtScale(-0.0001, 1), "0.000"}, {NumberAtScale(-0.2, 1), "−0.200"},
		{Signed(0.2, 1), "+0.200"}, {Signed(-0.2, 1), "−0.200"}, {Signed(0.0001, 1), "0.000"}, {Signed(0, 1), "0.000"},
		{Signed(inf, 1), "–"},
		{Scientific(0), "0"}, {Scientific(nan), "–"}, {Scientific(-12345), "−1.2\u00a0×\u00a010⁴"},
		{Scientific(1.5e-12), "1.5\u00a0×\u00a010⁻¹²"},
		{Percent(0.1234), "12.3\u00a0%"}, {Percent(-0.5), "−50.0\u00a0%"}, {Percent(0.00999), "1.0\u00a0%"},
		{Percent(0.01), "1.0\u00a0%"}, {Percent(0), "0.0\u00a0%"}, {Percent(nan), "–"},
		{Percent(0.0005), "0.1\u00a0%"}, {Percent(0.0004), "0.04\u00a0%"}, {Percent(-0.00004), "−0.004\u00a0%"},
		{Beside(0.7989, 0.8, 2), "0.799"}, {Beside(0.81, 0.8, 2), "0.81"}, {Beside(0.8, 0.8, 2), "0.80"},
		{Beside(0.79999, 0.8, 2), "0.79999"}, {Beside(0.8000001, 0.8, 1), "0.8000001"}, {Beside(-1e-5, 0, 3), "−0.00001"},
		{Beside(0.5, 0.8, 2), "0.50"}, {Beside(nan, 0.8, 2), "–"},
		{Beside(0.3, math.Nextafter(0.3, 1), 2), "0.29999999999999999"},
		{Points(0.12345), "12.3"}, {Points(-0.0001), "0.0"}, {Points(inf), "–"},

		{Plural(1, "row", "rows"), "1 row"}, {Plural(0, "row", "rows"), "0 rows"}, {Plural(2, "row", "rows"), "2 rows"},
		{Group("a"), "a"}, {Group(""), "(empty)"}, {Group(" \t"), "(empty)"},
		{List([]string{"a", "b"}, 2), "a and b"}, {List([]string{"a", "b", "c", "d"}, 2), "a, b and 2 more"},
		{WholePercent(0.95), "95\u00a0%"}, {WholePercent(0.999), "99.9\u00a0%"}, {WholePercent(0.9999), "99.99\u00a0%"},
		{WholePercent(1), "100\u00a0%"},
		{Significant(0), "0"}, {Significant(nan), "–"}, {Significant(0.025), "0.0250"},
		{Significant(0.0009996), "1.00\u00a0×\u00a010⁻³"},
		{Significant(0.001), "0.00100"}, {Significant(9.994), "9.99"}, {Significant(9.996), "10.0"},
		{Significant(-99.96), "−100"}, {Significant(999.4), "999"}, {Significant(999.6), Count(1000)},
		{Significant(12345), Count(12345)}, {Significant(1.234e7), "1.23\u00a0×\u00a010⁷"},
		{Significant(-3e-5), "−3.00\u00a0×\u00a010⁻⁵"},
		{Setting(inf), "∞"}, {Setting(0), "0"}, {Setting(0.5), "0.5"}, {Setting(100), "100"},
		{Setting(0.000556483), "5.56\u00a0×\u00a010⁻⁴"},
		{Setting(1e-6), "1\u00a0×\u00a010⁻⁶"}, {Setting(0.0556483), "0.0556"}, {Setting(0.001), "0.001"}, {Setting(2), "2"},
		{FourDigits(0), "0"}, {FourDigits(1e-3), "0.001"}, {FourDigits(0.0015), "0.0015"},
		{FourDigits(-9.9e-4), "−9.9\u00a0×\u00a010⁻⁴"}, {FourDigits(999_999), "1e+06"},
		{FourDigits(1e6), "1.0\u00a0×\u00a010⁶"},
		{FourDigits(2.5), "2.5"}, {FourDigits(123456), "1.235e+05"},
		{WithUnit("risk", ""), "risk"}, {WithUnit("risk", "nats"), "risk (nats)"},
		{WithUnit("risk", "(SD)²"), "risk, (SD)²"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// Two numbers of a sentence have the same decimals, those of the larger one.
func TestPair_SameDecimals(t *testing.T) {
	for _, c := range []struct {
		x, y          float64
		first, second string
	}{
		{0.298, 0.0907, "0.298", "0.091"}, {0.012, -0.0345, "0.0120", "−0.0345"}, {120, 9.5, "120.0", "9.5"},
		{1200, 424.5, Count(1200), "425"}, {math.NaN(), 1, "–", "1.000"},
	} {
		if first, second := Pair(c.x, c.y); first != c.first || second != c.second {
			t.Errorf("%v, %v: %q, %q, want %q, %q", c.x, c.y, first, second, c.first, c.second)
		}
	}
}
