// Package e2e runs the operator as what it is when it is installed: a program of
// its own, as its service account, on a whole cluster. It is killed, paused and
// has much to do; what it sends is read from the audit log of the API server.
//
// The tests are small by default. Their flags make them large:
//
//	go test ./examples/myapp/e2e -v -run TestStorm -args -kills=50 -apps=200
package e2e
