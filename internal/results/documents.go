package results

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// mostDocuments bounds the cached documents, in bytes of their JSON, which is about their size in memory.
const mostDocuments = 64 << 20

// documents caches the results of ended runs, so that they are not made from all windows at every request. The archive
// accepts no windows of an ended run, so only the run's records can change: they are part of the key. The least recently
// used documents are evicted first. Callers must not change a cached document.
type documents struct {
	limit  int64
	making singleflight.Group // by round and key: concurrent requests for a document share one computation

	mu    sync.Mutex
	bytes int64
	byKey map[string]*keptDocument
	asked uint64 // counts requests
	round uint64 // of forget: documents begun in an earlier round are not cached
}

type keptDocument struct {
	run   result.Run
	bytes int64
	asked uint64 // documents.asked at its last request
}

func newDocuments(limit int64) *documents {
	return &documents{limit: limit, byKey: make(map[string]*keptDocument)}
}

// documentKey identifies the input of an ended run's result: its id, its record, and what it shows of its suite.
func documentKey(of suiteKey, run archive.RunRecord) string {
	sum := sha256.New()
	sum.Write(of[:])
	for _, blob := range [][]byte{run.State, run.Header} { // large: not by fmt
		fmt.Fprintf(sum, "%d ", len(blob))
		sum.Write(blob)
	}
	run.State, run.Header = nil, nil
	fmt.Fprintf(sum, "%#v", run)
	return run.ID + " " + hex.EncodeToString(sum.Sum(nil))
}

// suiteKey represents everything of a suite that the results of its runs show, but its note and tags.
type suiteKey [sha256.Size]byte

func newSuiteKey(suite archive.Suite) (key suiteKey) {
	sum := sha256.New()
	sum.Write(suite.Spec)
	suite.Spec, suite.Plan, suite.Status = nil, nil, "" // only the suite's own result shows them
	suite.Note, suite.Tags = "", nil                    // they change later, and are added to what was computed
	fmt.Fprintf(sum, "%#v", suite)
	sum.Sum(key[:0])
	return key
}

// abandonedError is the error of a caller that was cancelled while it made a document: another caller must make it.
type abandonedError struct{ error }

func (e *abandonedError) Unwrap() error { return e.error }

// get returns the document of a key. If it is not cached, concurrent callers make it once. With the document, build returns the size of its JSON if
// it knows that, or else 0.
func (d *documents) get(ctx context.Context, key string, build func() (result.Run, int64, error)) (result.Run, error) {
	for {
		if doc, ok := d.find(key); ok {
			return doc, nil
		}
		round := d.begin()
		made, err, _ := d.making.Do(strconv.FormatUint(round, 10)+" "+key, func() (any, error) {
			doc, size, err := build()
			if err == nil {
				err = d.keep(key, doc, size, round)
			}
			if err != nil && ctx.Err() != nil {
				err = &abandonedError{err}
			}
			return doc, err
		})
		if _, abandoned := errors.AsType[*abandonedError](err); abandoned && ctx.Err() == nil {
			continue
		}
		doc, _ := made.(result.Run)
		return doc, err
	}
}

func (d *documents) find(key string) (result.Run, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	k := d.byKey[key]
	if k == nil {
		return result.Run{}, false
	}
	k.asked = d.asked
	return k.run, true
}

func (d *documents) begin() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.round
}

// keep caches a document that was begun in a round, and evicts others if there is no room for it. A size of 0 is unknown.
func (d *documents) keep(key string, run result.Run, size int64, round uint64) error {
	if size == 0 {
		text, err := json.Marshal(run)
		if err != nil {
			return err
		}
		size = int64(len(text))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if size > d.limit || round != d.round || d.byKey[key] != nil {
		return nil
	}
	for d.bytes+size > d.limit {
		oldest := ""
		for other, k := range d.byKey {
			if oldest == "" || k.asked < d.byKey[oldest].asked {
				oldest = other
			}
		}
		d.remove(oldest)
	}
	d.byKey[key] = &keptDocument{run: run, bytes: size, asked: d.asked}
	d.bytes += size
	return nil
}

// forget drops a suite's documents, including those being made.
func (d *documents) forget(suite string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.round++
	for key, k := range d.byKey {
		if record.SuiteOf(k.run.ID) == suite {
			d.remove(key)
		}
	}
}

// remove drops a document. d.mu is held.
func (d *documents) remove(key string) {
	d.bytes -= d.byKey[key].bytes
	delete(d.byKey, key)
}
