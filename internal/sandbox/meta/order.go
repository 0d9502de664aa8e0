package meta

import "bytes"

// compare orders rows of hbase:meta: by table, then by start key, then by the region's id. Comparing bytes would be
// wrong if a start key continues with a byte below the comma that ends another.
func compare(a, b []byte) int {
	aTable, aRest, aCut := bytes.Cut(a, []byte{','})
	bTable, bRest, bCut := bytes.Cut(b, []byte{','})
	if c := bytes.Compare(aTable, bTable); c != 0 {
		return c
	}
	if c := shorter(aCut, bCut); c != 0 || !aCut {
		return c
	}
	aKey, aID, aCut := cutLast(aRest)
	bKey, bID, bCut := cutLast(bRest)
	if c := bytes.Compare(aKey, bKey); c != 0 {
		return c
	}
	if c := shorter(aCut, bCut); c != 0 || !aCut {
		return c
	}
	return bytes.Compare(aID, bID)
}

// shorter orders a name that ends before a part ahead of one that has the part.
func shorter(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// cutLast cuts at the last comma, because a start key may contain commas.
func cutLast(b []byte) (key, id []byte, found bool) {
	if i := bytes.LastIndexByte(b, ','); i >= 0 {
		return b[:i], b[i+1:], true
	}
	return b, nil, false
}
