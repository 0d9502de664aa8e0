package keyspace

import (
	"math"
	"slices"
	"strings"
)

// prove refuses a template unless it proves that two key numbers never have the same key. There are two proofs. Both need parts
// that can be found in the key again; see found.
//
// seq: every form of it is a bijection of the key number, so a key that contains it belongs to one number.
//
// ts with cycles: rows with the same time are a block of per consecutive numbers. Parts with cycle(n) have different
// values within it if the least common multiple of the n is at least per. Without cycles per must be 1.
func (p *templateParser) prove() {
	var time *part
	common := uint64(1)
	for i := range p.parts {
		switch one := &p.parts[i]; {
		case one.name == "seq":
			p.requireFound(i)
			return
		case one.name == "ts":
			time = one
			p.requireFound(i)
		case one.write == cycle:
			common = leastCommonMultiple(common, one.count)
			p.requireFound(i)
		}
	}
	switch {
	case len(p.wrong) > 0:
	case time == nil:
		p.fail(0, "two rows could have the same key: no part differs for every row; add {seq} or {seq:hash}, the key number, or {ts}, its time")
	case common < time.per:
		p.failAt(time.column, "two rows could have the same key: %d rows share each time, and the cycles beside it have only %d different values; write per(%[2]d) or less, or cycle(%[1]d) or more, or add {seq}", time.per, common)
	}
}

func (p *templateParser) failAt(column int, format string, args ...any) {
	before := len(p.wrong)
	p.fail(0, format, args...)
	p.wrong[before].Column = column
}

func (p *templateParser) failedAt(column int) bool {
	return slices.ContainsFunc(p.wrong, func(e *TemplateError) bool { return e.Column == column })
}

// leastCommonMultiple stops at the largest uint64, which is above any per.
func leastCommonMultiple(a, b uint64) uint64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	if a/x > math.MaxUint64/b {
		return math.MaxUint64
	}
	return a / x * b
}

// requireFound reports a part that cannot be found in a key again. A part of a fixed width, and literals, have known places,
// counted from the beginning or from the end of the key. Decimal digits without a fixed width end, seen from the beginning, at
// a character that is not a digit or at the end of the key; from the end it is the same. A part is found if this holds for it
// and everything before it, or for it and everything after it.
func (p *templateParser) requireFound(i int) {
	before, after := true, true
	culprit := i
	for j := i; j >= 0; j-- {
		if !p.ends(j, j+1) {
			before, culprit = false, j
		}
	}
	for j := i; j < len(p.parts); j++ {
		after = after && p.ends(j, j-1)
	}
	if !before && !after && !p.failedAt(p.parts[culprit].column) {
		p.failAt(p.parts[culprit].column, "two rows could have the same key: the digits of {%s} have no fixed width, and no character separates them from what is beside them; put one that is not a digit between the parts, such as -%s",
			p.parts[culprit].name, p.widthAdvice(culprit))
	}
}

func (p *templateParser) widthAdvice(i int) string {
	if p.parts[i].name == "seq" {
		return ", or write {seq:pad(19)}, {seq:hex} or {seq:hash}"
	}
	return ""
}

// ends reports whether part i has a fixed width, or ends at its neighbour.
func (p *templateParser) ends(i, neighbour int) bool {
	if !p.parts[i].open || neighbour < 0 || neighbour >= len(p.parts) {
		return true
	}
	next := p.parts[neighbour]
	if next.write != literal {
		return false
	}
	edge := next.text[0]
	if neighbour < i {
		edge = next.text[len(next.text)-1]
	}
	return !strings.ContainsRune("0123456789", rune(edge))
}
