package reconcile

import "regexp"

// volatilePattern finds what is another in each error of the same kind: a UUID, and
// whatever has a digit in it, with all that hangs on it, such as the id of a
// request, a time, a duration, an address with its port, a count.
var volatilePattern = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[\pL\pN]*\pN[\pL\pN]*([-_.:/+@]+[\pL\pN]+)*`)

// steady returns a text without what may be another each time that the same thing
// happens. It is for comparing, not for reading.
func steady(text string) string { return volatilePattern.ReplaceAllString(text, "#") }

// sameBesideNumbers reports whether two texts say the same, as far as can be told.
func sameBesideNumbers(a, b string) bool { return a == b || steady(a) == steady(b) }
