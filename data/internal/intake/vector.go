package intake

// MostWidth is the largest number of entries of a vector.
const MostWidth = 1 << 14
