// Package proof holds the tests of the operator on a real API server under faults, on a
// cluster of their own: no other operator is there to look after their apps.
package proof
