package pki

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// journal is an append-only file with a JSON document on each line. A line is complete if it ends with a line break, which is the last
// byte that is written of it: a process that dies while it appends leaves a line without one, which the next one removes.
type journal struct {
	path   string
	file   *os.File
	size   int64 // of the complete lines
	broken error // why it takes no more lines
}

// openJournal opens a file, creates it if it is missing, and passes each complete line to read. Nobody else can open it meanwhile.
func openJournal(path string, read func(line []byte) error) (_ *journal, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, private)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("open %s: another process has it open: end that process, or give this one another directory", path)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	j := &journal{path: path, file: f, size: int64(bytes.LastIndexByte(content, '\n') + 1)}
	if err := eachLine(path, content, read); err != nil {
		return nil, err
	}
	if j.size < int64(len(content)) {
		if err := errors.Join(f.Truncate(j.size), f.Sync()); err != nil {
			return nil, fmt.Errorf("remove the incomplete last line of %s: %w", path, err)
		}
	}
	if err := syncDirectory(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	return j, nil
}

// eachLine passes the complete lines of a journal to read.
func eachLine(path string, content []byte, read func(line []byte) error) error {
	for number := 1; ; number++ {
		line, rest, complete := bytes.Cut(content, []byte{'\n'})
		if !complete {
			return nil
		}
		content = rest
		if err := read(line); err != nil {
			return fmt.Errorf("%s:%d: %w: the line is damaged; restore the file from a backup, or delete the line", path, number, err)
		}
	}
}

// add appends a line, and returns when it is durable. After an error the line is not in the file.
func (j *journal) add(entry any) error {
	if j.broken != nil {
		return fmt.Errorf("append to %s: an earlier error has not been undone: %w", j.path, j.broken)
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("append to %s: %w", j.path, err)
	}
	line = append(line, '\n')
	_, err = j.file.WriteAt(line, j.size)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		j.broken = errors.Join(j.file.Truncate(j.size), j.file.Sync())
		return fmt.Errorf("append to %s: %w", j.path, err)
	}
	j.size += int64(len(line))
	return nil
}

func (j *journal) close() error { return j.file.Close() }
