package scripted

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// collection is documents in the order of their keys.
type collection struct {
	options bson.Raw
	keys    []string // encoded values of _id, sorted
	docs    map[string]bson.Raw
}

// store has all collections. Its lock is held for a whole operation.
type store struct {
	mu      sync.Mutex
	spaces  map[string]string // their domains
	domains map[string]bson.Raw
	cls     map[string]*collection
	journal *os.File

	inserted, updated, deleted, selected int64
}

// openStore makes a store and repeats its journal.
func openStore(journal string) (*store, error) {
	s := &store{spaces: make(map[string]string), domains: make(map[string]bson.Raw), cls: make(map[string]*collection)}
	if journal == "" {
		return s, nil
	}
	f, err := os.OpenFile(journal, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	whole, err := s.repeat(f)
	if err == nil {
		err = f.Truncate(whole) // a record that was being written when the process was killed was not acknowledged
	}
	if err == nil {
		_, err = f.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read journal: %w", err), f.Close())
	}
	s.journal = f
	return s, nil
}

// repeat applies the records of a journal, and returns the length of the whole ones.
func (s *store) repeat(f *os.File) (int64, error) {
	content, err := io.ReadAll(f)
	if err != nil {
		return 0, err //nolint:wrapcheck // its caller names the journal
	}
	at := 0
	for len(content)-at >= 5 {
		n := int(binary.LittleEndian.Uint32(content[at:]))
		if n > len(content)-at {
			break
		}
		r := bson.Raw(content[at : at+n])
		if err := r.Validate(); err != nil {
			return 0, fmt.Errorf("record at %d: %w", at, err)
		}
		s.apply(r)
		at += n
	}
	return int64(at), nil
}

// apply applies a record: what was done to what.
func (s *store) apply(r bson.Raw) {
	name := r.Lookup("on").StringValue()
	doc, _ := r.Lookup("doc").DocumentOK()
	switch r.Lookup("do").StringValue() {
	case "space":
		s.spaces[name] = doc.Lookup("Domain").StringValue()
	case "dropspace":
		delete(s.spaces, name)
	case "domain":
		s.domains[name] = bytes.Clone(doc)
	case "create":
		s.cls[name] = &collection{options: bytes.Clone(doc), docs: make(map[string]bson.Raw)}
	case "drop":
		delete(s.cls, name)
	case "truncate":
		c := s.cls[name]
		c.keys, c.docs = nil, make(map[string]bson.Raw)
	case "put":
		s.cls[name].put(bytes.Clone(doc))
	case "delete":
		s.cls[name].remove(idOf(doc))
	}
}

// record writes a record to the journal, and applies it.
func (s *store) record(do, on string, doc bson.Raw) error {
	if doc == nil {
		doc = bson.Raw{5, 0, 0, 0, 0}
	}
	r, err := bson.Marshal(bson.D{{Key: "do", Value: do}, {Key: "on", Value: on}, {Key: "doc", Value: doc}})
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	if s.journal != nil {
		if _, err := s.journal.Write(r); err != nil {
			return fmt.Errorf("write journal: %w", err)
		}
	}
	s.apply(r)
	return nil
}

func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal == nil {
		return nil
	}
	return s.journal.Close() //nolint:wrapcheck // it names the file
}

// idOf returns the encoded _id of a document.
func idOf(d bson.Raw) string {
	v := d.Lookup("_id")
	return string(append([]byte{byte(v.Type)}, sortable(v)...))
}

// sortable returns the bytes of a value by which keys are compared: the text of strings.
func sortable(v bson.RawValue) []byte {
	if text, is := v.StringValueOK(); is {
		return []byte(text)
	}
	return v.Value
}

func (c *collection) put(d bson.Raw) {
	id := idOf(d)
	if at, has := slices.BinarySearch(c.keys, id); !has {
		c.keys = slices.Insert(c.keys, at, id)
	}
	c.docs[id] = d
}

func (c *collection) remove(id string) {
	if at, has := slices.BinarySearch(c.keys, id); has {
		c.keys = slices.Delete(c.keys, at, at+1)
	}
	delete(c.docs, id)
}
