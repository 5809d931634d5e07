package intake

// MostWidth is the maximum number of entries of a vector.
const MostWidth = 1 << 16
