package scripted

import (
	"bytes"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Flags, as seen on the wire.
const (
	insertContinue = 0x1
	insertCounts   = 0x2
	insertReplace  = 0x4
	insertHasID    = 0x10

	updateUpsert = 0x1
	writeOne     = 0x2
	writeCounts  = 0x4

	queryData  = 0x200
	queryClose = 0x80000
)

// counts is an answer with numbers, if they were asked for.
func counts(flag bool, numbers bson.D) reply {
	if !flag {
		return done()
	}
	d, err := bson.Marshal(numbers)
	if err != nil {
		return failed(codeSystem, err.Error())
	}
	return done(d)
}

// write executes an insert, an update or a delete.
func (one *session) write(op uint32, r request) reply {
	s := one.s.store
	s.mu.Lock()
	defer s.mu.Unlock()
	c, answer, ok := s.lookup(r.name)
	if !ok {
		return answer
	}
	switch op {
	case insert:
		return s.insert(c, r)
	case update:
		return s.update(c, r)
	default:
		return s.delete(c, r)
	}
}

// lookup returns a collection.
func (s *store) lookup(name string) (*collection, reply, bool) {
	if c := s.cls[name]; c != nil {
		return c, reply{}, true
	}
	space, _, _ := strings.Cut(name, ".")
	if _, has := s.spaces[space]; !has {
		return nil, failed(codeNoSpace, "Collection space does not exist"), false
	}
	return nil, failed(codeMissing, "Collection does not exist"), false
}

func (s *store) insert(c *collection, r request) reply {
	inserted, duplicates, replaced := int64(0), int64(0), int64(0)
	for _, d := range r.documents {
		if _, err := d.LookupErr("_id"); err != nil {
			return failed(codeInvalid, "the document has no _id")
		}
		_, has := c.docs[idOf(d)]
		switch {
		case has && r.flags&insertReplace != 0:
			replaced++
		case has && r.flags&insertContinue != 0:
			duplicates++
			continue
		case has:
			return failed(codeDuplicate, "Duplicate key exist")
		default:
			inserted++
		}
		if err := s.record("put", r.name, d); err != nil {
			return failed(codeSystem, err.Error())
		}
	}
	s.inserted += inserted
	return counts(r.flags&insertCounts != 0, bson.D{
		{Key: "InsertedNum", Value: inserted}, {Key: "DuplicatedNum", Value: duplicates}, {Key: "ModifiedNum", Value: replaced},
	})
}

func (s *store) update(c *collection, r request) reply {
	matcher, modifier := r.documents[0], r.documents[1]
	found, err := c.find(matcher)
	if err != nil {
		return failed(codeInvalid, err.Error())
	}
	if r.flags&writeOne != 0 && len(found) > 1 {
		found = found[:1]
	}
	modifiedNum, inserted := int64(0), int64(0)
	for _, id := range found {
		after, err := modify(c.docs[id], modifier)
		if err != nil {
			return failed(codeInvalid, err.Error())
		}
		if !bytes.Equal(after, c.docs[id]) {
			modifiedNum++
		}
		if err := s.record("put", r.name, after); err != nil {
			return failed(codeSystem, err.Error())
		}
	}
	if len(found) == 0 && r.flags&updateUpsert != 0 {
		fresh, err := modify(matcher, modifier)
		if err == nil {
			err = s.record("put", r.name, fresh)
		}
		if err != nil {
			return failed(codeInvalid, err.Error())
		}
		inserted++
	}
	s.updated += int64(len(found))
	s.inserted += inserted
	return counts(r.flags&writeCounts != 0, bson.D{
		{Key: "UpdatedNum", Value: int64(len(found))}, {Key: "ModifiedNum", Value: modifiedNum}, {Key: "InsertedNum", Value: inserted},
	})
}

func (s *store) delete(c *collection, r request) reply {
	found, err := c.find(r.documents[0])
	if err != nil {
		return failed(codeInvalid, err.Error())
	}
	if r.flags&writeOne != 0 && len(found) > 1 {
		found = found[:1]
	}
	for _, id := range slices.Clone(found) {
		if err := s.record("delete", r.name, c.docs[id]); err != nil {
			return failed(codeSystem, err.Error())
		}
	}
	s.deleted += int64(len(found))
	return counts(r.flags&writeCounts != 0, bson.D{{Key: "DeletedNum", Value: int64(len(found))}})
}

// query executes a query or a command.
func (one *session) query(r request) reply {
	if strings.HasPrefix(r.name, "$") {
		return one.command(r)
	}
	documents, answer, ok := one.s.store.query(r)
	if !ok {
		return answer
	}
	return one.first(r.flags, documents)
}

// query returns the documents of a query.
func (s *store) query(r request) (documents []bson.Raw, answer reply, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, answer, ok := s.lookup(r.name)
	if !ok {
		return nil, answer, false
	}
	found, err := c.find(r.documents[0])
	if err != nil {
		return nil, failed(codeInvalid, err.Error()), false
	}
	if order, err := r.documents[2].LookupErr("_id"); err == nil && order.AsInt64() < 0 {
		found = slices.Clone(found)
		slices.Reverse(found)
	}
	found = found[min(int64(len(found)), max(r.skip, 0)):]
	if r.limit >= 0 {
		found = found[:min(int64(len(found)), r.limit)]
	}
	for _, id := range found {
		d, err := project(c.docs[id], r.documents[1])
		if err != nil {
			return nil, failed(codeInvalid, err.Error()), false
		}
		documents = append(documents, d)
	}
	s.selected += int64(len(documents))
	return documents, reply{}, true
}

// pages is an open context: what is left of a query.
type pages struct {
	documents []bson.Raw
	closes    bool // with the last document
}

// first is the answer to a query: its first documents, and a context for the others.
func (one *session) first(flags uint32, documents []bson.Raw) reply {
	p := &pages{documents: documents, closes: flags&queryClose != 0}
	one.next++
	id := one.next
	one.contexts[id] = p
	one.s.contexts.Add(1)
	if flags&queryData == 0 {
		return reply{context: id}
	}
	return one.page(id, p)
}

// page is the answer with the next documents of a context.
func (one *session) page(id int64, p *pages) reply {
	n := min(one.s.options.Page, len(p.documents))
	r := reply{context: id, documents: p.documents[:n]}
	p.documents = p.documents[n:]
	if len(p.documents) == 0 && p.closes {
		one.close(id)
		r.context = noContext
	}
	return r
}

func (one *session) close(id int64) {
	if _, has := one.contexts[id]; has {
		delete(one.contexts, id)
		one.s.contexts.Add(-1)
	}
}

func (one *session) getMore(body []byte) (reply, error) {
	c := &cursor{b: body}
	id, n := c.int64(), c.int32()
	if err := c.end(); err != nil {
		return reply{}, err
	}
	if n != -1 && n <= 0 {
		return reply{}, violation("getmore of %d documents", n)
	}
	p := one.contexts[id]
	switch {
	case p == nil:
		return failed(codeNoContext, "Context does not exist"), nil
	case len(p.documents) == 0:
		one.close(id)
		return failed(codeEnd, "End of collection"), nil
	}
	return one.page(id, p), nil
}

func (one *session) kill(body []byte) (reply, error) {
	c := &cursor{b: body}
	if zero := c.int32(); c.err == nil && zero != 0 {
		c.fail("%d in place of zero", zero)
	}
	n := c.int32()
	if c.err == nil && (n < 1 || int(n) > len(body)/8) {
		c.fail("%d contexts", n)
	}
	for range n {
		if id := c.int64(); c.err == nil {
			one.close(id)
		}
	}
	return done(), c.end()
}
