package intake

// TimeOfDay and Duration are the types of columns of times without a date, and of time spans.
const (
	TimeOfDay = "time (s)"
	Duration  = "duration (s)"
)
