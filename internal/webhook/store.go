package webhook

import (
	"crypto/rand"
	"fmt"
	"iter"
	"time"

	"github.com/benchd/benchd/internal/spool"
)

// Records has what is not delivered yet, by names. A later name follows an earlier one in the order of their bytes.
type Records interface {
	// Keep returns when a record is durable.
	Keep(name string, record []byte) error
	// Remove removes a record.
	Remove(name string) error
	// Left returns the records of an earlier process, in the order of their names.
	Left() ([]Record, error)
}

// Record is one of Records.
type Record struct {
	Name    string
	Content []byte
}

// store keeps what is not delivered yet.
type store interface {
	add(record []byte, created time.Time) (place, error)
	remove(at place) error
	left() (iter.Seq2[place, []byte], error)
	close() error
}

// place is where a store has a record.
type place struct {
	spooled spool.Place
	name    string // of Records
}

func (p place) valid() bool { return p.name != "" || p.spooled.Valid() }

func openStore(config Config) (store, error) {
	if config.Records != nil {
		return shared{config.Records}, nil
	}
	folder, err := spool.Folder(config.Dir)
	if err != nil {
		return nil, err
	}
	// A record in a file of its own is removed by itself: delivered notices do not wait on the disk for others.
	kept, err := spool.Open(folder, spool.Options{SegmentBytes: 1})
	if err != nil {
		return nil, err
	}
	return onDisk{kept}, nil
}

// onDisk is a store in a folder.
type onDisk struct{ spool *spool.Spool }

func (d onDisk) add(record []byte, _ time.Time) (place, error) {
	at, err := d.spool.Add(record)
	return place{spooled: at}, err
}

func (d onDisk) remove(at place) error {
	d.spool.Remove(at.spooled)
	return d.spool.Sweep()
}

func (d onDisk) left() (iter.Seq2[place, []byte], error) {
	return func(yield func(place, []byte) bool) {
		for at, record := range d.spool.Left() {
			if !yield(place{spooled: at}, record) {
				return
			}
		}
	}, nil
}

func (d onDisk) close() error { return d.spool.Close() }

// shared is a store in Records.
type shared struct{ records Records }

func (s shared) add(record []byte, created time.Time) (place, error) {
	name := fmt.Sprintf("%020d-%s", created.UnixNano(), rand.Text())
	if err := s.records.Keep(name, record); err != nil {
		return place{}, err
	}
	return place{name: name}, nil
}

func (s shared) remove(at place) error { return s.records.Remove(at.name) }

func (s shared) left() (iter.Seq2[place, []byte], error) {
	records, err := s.records.Left()
	return func(yield func(place, []byte) bool) {
		for _, r := range records {
			if !yield(place{name: r.Name}, r.Content) {
				return
			}
		}
	}, err
}

func (shared) close() error { return nil }
