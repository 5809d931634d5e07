package numeral

// IsPadded reports whether a text begins with a zero followed by another digit, as codes often do but numbers do
// not.
func IsPadded(s string) bool { return len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' }
