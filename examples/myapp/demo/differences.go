package main

// differences tells what has come, changed and gone between two looks.
func differences(before, after []row) []string {
	was := map[string]row{}
	for _, row := range before {
		was[row.kind+row.name] = row
	}
	var lines []string
	for _, row := range after {
		if was[row.kind+row.name] != row {
			lines = append(lines, row.String())
		}
		delete(was, row.kind+row.name)
	}
	for _, row := range before {
		if _, gone := was[row.kind+row.name]; gone {
			lines = append(lines, row.kind+" "+row.name+" is gone")
		}
	}
	return lines
}
