package column

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Migration is one step of the schema, from the previous version to this one. The statements of a released migration never change; a change of
// the schema is the next one.
type Migration struct {
	Version    int
	Name, Text string
}

// Migrations reads NNNN_name.sql files in the folder migrations; their numbers must be 1, 2, 3 and so on.
func Migrations(files fs.FS) ([]Migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql") // sorted
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	list := make([]Migration, 0, len(names))
	for i, name := range names {
		number, _, _ := strings.Cut(path.Base(name), "_")
		if version, err := strconv.Atoi(number); err != nil || version != i+1 {
			return nil, fmt.Errorf("read migration %s: want number %04d", name, i+1)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", name, err)
		}
		list = append(list, Migration{Version: i + 1, Name: path.Base(name), Text: string(text)})
	}
	return list, nil
}
