package coordinator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/wire"
)

// The last record of a trace has its card. Records of earlier pieces without it are of an upload that was cut off.
const (
	keptWhole  = "whole"
	tracePiece = 512 << 10
	// touchTrace is how old the date of the last use may be.
	touchTrace = 24 * time.Hour
)

// wholeTrace is the last record of a trace.
type wholeTrace struct {
	Card   string    `json:"card"`
	Size   int64     `json:"size"`
	Pieces int       `json:"pieces"`
	Used   time.Time `json:"used"`
}

func pieceName(id string, i int) string { return fmt.Sprintf("%s%s/%06d", keptTraces, id, i) }

func wholeName(id string) string { return keptTraces + id + "/" + keptWhole }

// keepTrace stores a file as the pieces of a trace. The trace is there with the last record.
func (k *keeper) keepTrace(card trace.Card, file io.ReaderAt, size int64, now time.Time) error {
	id := card.ID()
	if err := k.drop(keptTraces + id + "/"); err != nil {
		return err
	}
	whole := wholeTrace{Card: card.Text(), Size: size, Used: now}
	piece := make([]byte, tracePiece)
	for at := int64(0); at < size; at += tracePiece {
		n, err := file.ReadAt(piece[:min(tracePiece, size-at)], at)
		if err != nil && (!errors.Is(err, io.EOF) || at+int64(n) != size) {
			return err
		}
		if err := k.keep(pieceName(id, whole.Pieces), piece[:n]); err != nil {
			return err
		}
		whole.Pieces++
	}
	return k.keepWhole(id, whole)
}

func (k *keeper) keepWhole(id string, whole wholeTrace) error {
	text, err := json.Marshal(whole)
	if err != nil {
		return err
	}
	return k.keep(wholeName(id), text)
}

// findTrace returns the last record of a trace, and is false without one. It dates the use of the trace.
func (k *keeper) findTrace(id string, now time.Time) (whole wholeTrace, ok bool, err error) {
	text, err := k.kept(wholeName(id))
	if err != nil || text == nil {
		return wholeTrace{}, false, err
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return wholeTrace{}, false, fmt.Errorf("read trace %s of the archive: %w", id, err)
	}
	if now.Sub(whole.Used) > touchTrace {
		whole.Used = now
		err = k.keepWhole(id, whole)
	}
	return whole, true, err
}

// removeTraces removes the traces that were last used before an instant, and returns their ids.
func (k *keeper) removeTraces(before time.Time) (removed []string, err error) {
	names, err := k.names(keptTraces)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		id, is := strings.CutSuffix(strings.TrimPrefix(name, keptTraces), "/"+keptWhole)
		if !is {
			continue
		}
		var whole wholeTrace
		text, err := k.kept(name)
		if err == nil {
			err = json.Unmarshal(text, &whole)
		}
		if err == nil && whole.Used.Before(before) {
			err = k.drop(keptTraces + id + "/")
			removed = append(removed, id)
		}
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// fetchTrace makes the file of a trace from the archive, if another leader has received it.
func (c *Coordinator) fetchTrace(id string) error {
	if c.kept == nil {
		return nil
	}
	c.traces.Lock()
	defer c.traces.Unlock()
	if _, err := os.Stat(c.traceFile(id)); err == nil {
		return nil
	}
	whole, ok, err := c.kept.findTrace(id, c.clock.Wall())
	if err != nil || !ok {
		return err
	}
	card, err := trace.ParseCard([]byte(whole.Card))
	if err != nil || card.ID() != id {
		return wire.Errorf(wire.ErrNotFound, "the archive has no valid card of trace %s: submit the suite again", id)
	}
	next := 0
	return c.writeTrace(card, func() ([]byte, error) {
		if next == whole.Pieces {
			return nil, io.EOF
		}
		piece, err := c.kept.kept(pieceName(id, next))
		next++
		return piece, err
	}, nil)
}

// shareTrace stores the file of a trace in the archive, for the next leader.
func (c *Coordinator) shareTrace(card trace.Card, file io.ReaderAt, size int64) error {
	if c.kept == nil {
		return nil
	}
	c.traces.Lock()
	defer c.traces.Unlock()
	if c.hasTrace(card.ID()) { // another upload was quicker
		return nil
	}
	return c.kept.keepTrace(card, file, size, c.clock.Wall())
}

// hasTrace reports whether a run can read a trace, and dates its use.
func (c *Coordinator) hasTrace(id string) bool {
	now := c.clock.Wall()
	if c.kept == nil {
		return os.Chtimes(c.traceFile(id), now, now) == nil
	}
	_, ok, err := c.kept.findTrace(id, now)
	if err != nil {
		c.log.Warn("cannot look for a trace in the archive", "trace", id, "error", err)
	}
	return ok && err == nil
}

// removeCutTraces removes what a former leader has received of traces until its end.
func (c *Coordinator) removeCutTraces() {
	if c.kept == nil {
		return
	}
	names, err := c.kept.names(keptTraces)
	whole, cut := make(map[string]bool), make(map[string]bool)
	for _, name := range names {
		id, record, _ := strings.Cut(strings.TrimPrefix(name, keptTraces), "/")
		if record == keptWhole {
			whole[id] = true
		} else {
			cut[id] = true
		}
	}
	for id := range cut {
		if !whole[id] {
			err = errors.Join(err, c.kept.drop(keptTraces+id+"/"))
		}
	}
	if err != nil {
		c.log.Warn("cannot remove incomplete traces from the archive", "error", err)
	}
}

// removeKeptTraces removes traces of the archive that were not used for a long time.
func (c *Coordinator) removeKeptTraces() {
	if c.kept == nil {
		return
	}
	removed, err := c.kept.removeTraces(c.clock.Wall().Add(-keepTrace))
	for _, id := range removed {
		c.log.Info("trace is removed from the archive: no run has used it for a long time", "trace", id, "file", filepath.Base(c.traceFile(id)))
	}
	if err != nil {
		c.log.Warn("cannot remove old traces from the archive", "error", err)
	}
}
