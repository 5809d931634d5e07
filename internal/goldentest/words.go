package goldentest

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// CondensedText is a text in half a line: how many lines it has, a checksum of its words
// without their numbers, and of these, as [Condensed] takes them, the sum.
func CondensedText(text string) string {
	c := &condensed{}
	for _, s := range Number.FindAllString(text, -1) {
		v, _ := strconv.ParseFloat(strings.Replace(s, "−", "-", 1), 64)
		c.number(v)
	}
	return fmt.Sprintf("%d lines, words %d, %v", strings.Count(text, "\n")+1, crc32.ChecksumIEEE([]byte(Number.ReplaceAllString(text, "0"))), c)
}
