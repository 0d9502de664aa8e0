package workload

// Kind says what an operation does to the target.
type Kind uint8

// The kinds of operation. Their order is part of no contract; their names are.
const (
	Read            Kind = iota
	Update               // writes Values into Fields of a row that is there
	Insert               // writes a new row, or a batch of them
	Scan                 // reads up to ScanLength rows from Key on
	ReadModifyWrite      // a Read and then an Update; see ReadPart and UpdatePart
	Delete               // of a whole row
	Increment            // adds Delta to the number in Fields[0], which is CounterField
	Append               // adds Values[0] to the end of what stands in Fields[0]
	MultiGet             // reads Keys in one request
	CheckAndPut          // writes Values into Fields on the condition that the row has Fields[0]
	Verify               // the check of what a read returned; never asked of a target
	Cleanup              // what a session does at its end; never drawn
	NumKinds             // how many kinds there are; not a kind
)

// String returns the kind's name as results print it, which is YCSB's where YCSB has one.
func (k Kind) String() string {
	names := [NumKinds]string{
		"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE", "DELETE", "INCREMENT", "APPEND",
		"MULTI-GET", "CHECK-AND-PUT", "VERIFY", "CLEANUP",
	}
	return names[k]
}

// Op is one operation, filled in by a Generator and carried out by a Session. Its slices belong to the
// generator: they are valid until its next Next, and a target that keeps them copies them.
type Op struct {
	Kind Kind

	// Key is the row's key; for a Scan the first key; unused when Keys is set.
	Key []byte
	// Keys are the rows of a MultiGet or of a batched Insert (then Key is nil).
	Keys [][]byte

	// Fields names the columns to read or write; nil reads all.
	Fields [][]byte
	// Values are what to write, parallel to Fields; for a batched Insert row r's value of field f is
	// Values[r*len(Fields)+f].
	Values [][]byte
	// ReadFields names the columns that the read of a ReadModifyWrite reads; nil reads all. Fields and Values
	// are what its update writes.
	ReadFields [][]byte

	// ScanLength is the most rows that a Scan may return.
	ScanLength int
	// Delta is what an Increment adds.
	Delta int64

	// Collect, when not nil, is called by the target for each cell that a Read returned, so that the
	// caller can verify it. The slices are the target's, valid during the call.
	Collect func(field, value []byte)
}

// ReadPart makes part the read with which a ReadModifyWrite begins. It shares op's slices.
func (op *Op) ReadPart(part *Op) {
	*part = Op{Kind: Read, Key: op.Key, Fields: op.ReadFields, Collect: op.Collect}
}

// UpdatePart makes part the update with which a ReadModifyWrite ends. It shares op's slices.
func (op *Op) UpdatePart(part *Op) {
	*part = Op{Kind: Update, Key: op.Key, Fields: op.Fields, Values: op.Values}
}

// Code says how an operation ended.
type Code uint8

// The codes. OK, NotFound and the others that YCSB has are spelled as YCSB prints them.
const (
	OK Code = iota
	NotFound
	Error
	Timeout
	NotImplemented
	UnexpectedState
	BadRequest
	Forbidden
	ServiceUnavailable
	BatchedOK
	NumCodes // how many codes there are; not a code
)

// String returns the code's name as results print it.
func (c Code) String() string {
	names := [NumCodes]string{
		"OK", "NOT_FOUND", "ERROR", "TIMEOUT", "NOT_IMPLEMENTED", "UNEXPECTED_STATE", "BAD_REQUEST",
		"FORBIDDEN", "SERVICE_UNAVAILABLE", "BATCHED_OK",
	}
	return names[c]
}

// Good reports whether the operation did what was asked.
func (c Code) Good() bool { return c == OK || c == BatchedOK }

// Outcome is how an operation ended and how much it moved.
type Outcome struct {
	Code  Code
	Rows  int32 // rows read or written
	Bytes int64 // bytes of keys and values read or written
	Err   error // why, when Code is not good; its text becomes the sample of its kind
}
