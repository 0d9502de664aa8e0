package trace

import (
	"sort"
	"time"
)

// Player yields the operations of one worker, in the order of the trace. It serves one goroutine.
type Player struct {
	s      *Share
	worker int
	chunk  int // of part
	part   *part
	next   int
	key    []byte
}

// Player returns the operations of one of the agent's workers.
func (s *Share) Player(worker int) *Player { return &Player{s: s, worker: worker, chunk: -1} }

// Next fills in the worker's next operation, with At in the time of the repetition and Key as the key of a row. It returns false at the
// end. The key is valid until the next Next.
func (p *Player) Next(e *Entry) (bool, error) {
	for p.part == nil || p.next == len(p.part.of[p.worker]) {
		if ok, err := p.advance(p.chunk + 1); !ok {
			return false, err
		}
	}
	r := &p.part.chunk.records[p.part.of[p.worker][p.next]]
	p.next++
	p.key = p.s.key(p.key[:0], p.part.chunk.key(r.key))
	*e = Entry{At: p.s.intended(r.at), Kind: p.s.file.kinds[r.kind], Key: p.key, Size: int(r.size), Rows: int(r.rows)}
	return true, nil
}

// advance continues with a chunk, and has the next one read meanwhile.
func (p *Player) advance(chunk int) (bool, error) {
	if chunk >= len(p.s.file.index) {
		return false, nil
	}
	part, err := p.s.part(chunk)
	if err != nil {
		return false, err
	}
	p.s.prefetch(chunk + 1)
	p.part, p.chunk, p.next = part, chunk, 0
	return true, nil
}

// Skip omits the operations before an offset of the repetition.
func (p *Player) Skip(before time.Duration) error {
	if ok, err := p.advance(p.s.chunkAt(int64(before))); !ok {
		return err
	}
	for {
		own := p.part.of[p.worker]
		p.next = sort.Search(len(own), func(i int) bool {
			return p.s.intended(p.part.chunk.records[own[i]].at) >= int64(before)
		})
		if p.next < len(own) {
			return nil
		}
		if ok, err := p.advance(p.chunk + 1); !ok {
			p.next = len(own)
			return err
		}
	}
}

// Loader yields the rows that a load writes, in the order in which the trace uses them first. It serves one goroutine.
type Loader struct {
	file  *File
	s     *Share
	chunk int
	c     chunk
	next  int
	key   []byte
}

// Loader returns the rows from a number on, from 0 to Card.Rows.
func (s *Share) Loader(from int64) (*Loader, error) {
	l := &Loader{file: s.file, s: s}
	index := s.file.index
	l.chunk = max(0, sort.Search(len(index), func(i int) bool { return index[i].rows > from })-1)
	if err := s.file.readRows(l.chunk, &l.c); err != nil {
		return nil, err
	}
	l.next = int(from - index[l.chunk].rows)
	return l, nil
}

// Next returns the key of the next row, valid until the next Next, and the size of its values, 0 if unknown. The key is nil at the end.
func (l *Loader) Next() (key []byte, size int, err error) {
	for l.next >= len(l.c.fresh) {
		if l.chunk++; l.chunk >= len(l.file.index) {
			return nil, 0, nil
		}
		if err := l.file.readRows(l.chunk, &l.c); err != nil {
			return nil, 0, err
		}
		l.next = 0
	}
	f := l.c.fresh[l.next]
	l.next++
	l.key = l.s.key(l.key[:0], l.c.key(f.key))
	return l.key, int(f.size), nil
}
