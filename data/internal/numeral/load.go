package numeral

// BitsOf is the prefix of the type of a column of exact values whose Number holds their bits. All functions that
// read or slice columns preserve such values.
const BitsOf = "bits of "

// BitsType returns the type of columns of the given float type, such as float32, in which NaN is kept.
func BitsType(float string) string { return BitsOf + float }
