package report

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/benchd/benchd/internal/result"
)

// Bounds of the name of a suite in the name of a file: 80 characters, and as many bytes as leave room for the rest of the 255 bytes that
// file systems have for a name.
const (
	nameLength = 80
	nameBytes  = 180
)

// idLength bounds an ID in the name of a file. Those of results are shorter, but files may have any.
const idLength = 80

// BaseName is the name of the files for people without their extension: NAME-YYYYMMDD-HHMMSS, with the name of the suite and the time at
// which it was submitted, in UTC. A run of a suite has its number at the end, and a comparison the time of its newest result.
func (d Document) BaseName() string {
	name, created := d.Run.Name, d.Run.Provenance.Created
	switch {
	case len(d.Comparisons) > 0:
		name, created = d.ID, d.Created
	case d.Suite != nil:
		name, created = d.Suite.Name, Submitted(*d.Suite)
	}
	base := cmp.Or(SafeName(name), SafeName(d.ID), "report")
	if !created.IsZero() {
		base += created.UTC().Format("-20060102-150405")
	}
	if n := runNumber(d.ID); n != "" && len(d.Comparisons) == 0 {
		base += "-run" + n
	}
	return base
}

// Submitted is the time at which a suite was submitted; zero if it has no runs.
func Submitted(s result.Suite) time.Time {
	if len(s.Runs) == 0 {
		return time.Time{}
	}
	return s.Runs[0].Provenance.Created
}

// runNumber is the number of a run in its suite by its ID, such as 2 of 20260301-k7mp.2; empty if the ID is that of a suite.
func runNumber(id string) string {
	_, number, _ := strings.Cut(id, ".")
	if len(number) > 9 || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return number
}

// SafeName makes a text a part of the name of a file on Linux, macOS and Windows. Letters and digits of all languages stay, and so do - _ and
// dots that are not at an end. Everything between them becomes one dash. The result may be empty.
func SafeName(text string) string {
	var b strings.Builder
	length, gap := 0, false
	for _, r := range text {
		keep := r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r))
		if !keep || length == 0 && strings.ContainsRune("-_.", r) {
			gap = true
			continue
		}
		if gap && length > 0 {
			b.WriteByte('-')
			length++
		}
		if gap = false; length >= nameLength || b.Len()+utf8.RuneLen(r) > nameBytes {
			break
		}
		b.WriteRune(r)
		length++
	}
	name := strings.TrimRight(b.String(), "-_.")
	if first, _, _ := strings.Cut(name, "."); slices.Contains(devices(), strings.ToUpper(first)) {
		name = "_" + name
	}
	return name
}

// devices are the names that Windows gives to devices, whatever follows behind a dot.
func devices() []string {
	return []string{
		"CON", "PRN", "AUX", "NUL",
		"COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
		"LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9",
	}
}

// fileID is the ID of a result in the name of a file. It is the ID itself unless the result is of a file that somebody made.
func fileID(id string) string {
	id = strings.TrimLeft(fileName(id), ".-")
	return cmp.Or(id[:min(len(id), idLength)], "_")
}
