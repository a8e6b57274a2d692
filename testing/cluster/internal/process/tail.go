package process

import (
	"io"
	"os"
	"strings"
)

// tailBytes is how far from its end a log is read.
const tailBytes = 64 << 10

// Tail returns the last lines of the file at path, at most count, without
// empty ones. A file that cannot be read has none.
func Tail(path string, count int) []string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.Size() > tailBytes {
		_, _ = file.Seek(-tailBytes, io.SeekEnd)
	}
	content, err := io.ReadAll(io.LimitReader(file, tailBytes))
	if err != nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-count):]
}
