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

// mostDocuments bounds the documents that are kept, in bytes of their JSON, which is about what they take in memory.
const mostDocuments = 64 << 20

// documents keeps the results of ended runs, so that one that is asked for again is not made from all of its windows
// again. The archive takes nothing of a run that has ended, so what makes up its result is fixed but for its records: they
// are part of the key. The documents that were not asked for the longest go first. Nobody may change one that is kept.
type documents struct {
	limit  int64
	making singleflight.Group // by round and key: who asks for what is being made waits for it

	mu    sync.Mutex
	bytes int64
	byKey map[string]*keptDocument
	asked uint64 // how often documents were
	round uint64 // of forget: what was begun in an earlier one is not kept
}

type keptDocument struct {
	run   result.Run
	bytes int64
	asked uint64 // what documents.asked was when somebody asked for it last
}

func newDocuments(limit int64) *documents {
	return &documents{limit: limit, byKey: make(map[string]*keptDocument)}
}

// documentKey names what the result of an ended run is made of: its id, its record, and what it shows of its suite.
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

// suiteKey stands for all of a suite that the results of its runs show.
type suiteKey [sha256.Size]byte

func newSuiteKey(suite archive.Suite) (key suiteKey) {
	sum := sha256.New()
	sum.Write(suite.Spec)
	suite.Spec, suite.Plan, suite.Status = nil, nil, "" // the others are of the suite alone
	fmt.Fprintf(sum, "%#v", suite)
	sum.Sum(key[:0])
	return key
}

// abandonedError is that of somebody who has gone away while making a document: another one has to make it.
type abandonedError struct{ error }

func (e *abandonedError) Unwrap() error { return e.error }

// get returns the document of a key; it is made where it is not kept, once for all who ask for it at the same time.
func (d *documents) get(ctx context.Context, key string, build func() (result.Run, error)) (result.Run, error) {
	for {
		if doc, ok := d.find(key); ok {
			return doc, nil
		}
		round := d.begin()
		made, err, _ := d.making.Do(strconv.FormatUint(round, 10)+" "+key, func() (any, error) {
			doc, err := build()
			if err == nil {
				err = d.keep(key, doc, round)
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

// keep keeps a document that was begun in a round, and lets go of others where there is no room for it.
func (d *documents) keep(key string, run result.Run, round uint64) error {
	text, err := json.Marshal(run)
	if err != nil {
		return err
	}
	size := int64(len(text))
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

// forget lets go of a suite's documents, also of those that are being made.
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

// remove lets go of a document. d.mu is held.
func (d *documents) remove(key string) {
	d.bytes -= d.byKey[key].bytes
	delete(d.byKey, key)
}
