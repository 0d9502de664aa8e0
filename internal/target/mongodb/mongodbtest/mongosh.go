package mongodbtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// mongosh is the version of MongoDB's shell that counts documents: a client that shares nothing with benchd's.
const mongosh = "2.12.0"

// shellWithin is the time limit of one command of the shell, and of fetching it.
const shellWithin = 5 * time.Minute

// shell returns the path of mongosh, which it fetches from npm the first time.
func shell(ctx context.Context) (string, error) {
	top, err := cache()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(top, "mongosh-"+mongosh)
	program := filepath.Join(folder, "node_modules", ".bin", "mongosh")
	err = locked(folder, func() error {
		if _, err := os.Stat(program); err == nil {
			return nil
		}
		_, err := run(ctx, folder, nil, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, "mongosh@"+mongosh)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("fetch mongosh, which needs Node.js and npm: %w", err)
	}
	return program, nil
}

// Eval runs a line of JavaScript in mongosh on the database of Properties, and returns what it prints.
func (s *Server) Eval(line string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), shellWithin)
	defer cancel()
	program, err := shell(ctx)
	if err != nil {
		return "", err
	}
	args := []string{"--quiet", "--norc"}
	if s.options.User != "" {
		args = append(args, "--username", s.options.User, "--password", s.options.Password, "--authenticationDatabase", "admin")
	}
	if s.options.CAFile != "" {
		args = append(args, "--tlsCAFile", s.options.CAFile)
	}
	out, err := run(ctx, s.dir, nil, program, append(args, s.URL(), "--eval", line)...)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// Count returns the number of documents of a collection, as mongosh counts them.
func (s *Server) Count(collection string) (int, error) {
	out, err := s.Eval("print(db.getCollection(" + strconv.Quote(collection) + ").countDocuments({}))")
	if err != nil {
		return 0, fmt.Errorf("count %s by mongosh: %w", collection, err)
	}
	n, err := strconv.Atoi(out)
	if err != nil {
		return 0, fmt.Errorf("count %s by mongosh: it printed %q", collection, out)
	}
	return n, nil
}
