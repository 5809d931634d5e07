package numeral

// BitsOf begins the type of a column of exact values whose Number holds their bits: every way of reading and
// cutting columns passes these on.
const BitsOf = "bits of "

// AsBits returns the name of the type of columns of floats, such as float32, whose NaN are kept.
func AsBits(float string) string { return BitsOf + float }
