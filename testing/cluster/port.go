package cluster

import (
	"fmt"
	"net"
	"strconv"
)

// choosePort returns a port that is free at this moment: the wanted one, whose
// being taken is an error that names it, or any when none is wanted.
func choosePort(wanted int) (int, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(wanted)))
	if err != nil {
		if wanted != 0 {
			return 0, fmt.Errorf("Options.Port: %d cannot be listened on: %w", wanted, err)
		}
		return 0, fmt.Errorf("choose a free port: %w", err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
