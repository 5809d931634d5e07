package data

// stripeRows is the number of rows of a stripe.
const stripeRows = 2048
