package workload

// Kind is a kind of operation.
type Kind uint8

// The kinds of operation. Their names are a contract, their order is not.
const (
	Read            Kind = iota
	Update               // writes Values into Fields of an existing row
	Insert               // writes a new row, or a batch of them
	Scan                 // reads up to ScanLength rows from Key on
	ReadModifyWrite      // a Read and then an Update; see ReadPart and UpdatePart
	Delete               // of a whole row
	Increment            // adds Delta to the number in Fields[0], which is CounterField
	Append               // appends Values[0] to Fields[0]
	MultiGet             // reads Keys in one request
	CheckAndPut          // writes Values into Fields on the condition that the row has Fields[0]
	MultiRow             // writes Values into Fields of all Keys at once: either all of it takes effect or nothing
	Verify               // verifies the result of a read; never sent to a target
	Cleanup              // the end of a session; never drawn
	NumKinds             // the number of kinds
)

// String returns the kind's name as results print it, which is YCSB's where YCSB has one.
func (k Kind) String() string {
	names := [NumKinds]string{
		"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE", "DELETE", "INCREMENT", "APPEND",
		"MULTI-GET", "CHECK-AND-PUT", "MULTI-ROW", "VERIFY", "CLEANUP",
	}
	return names[k]
}

// Op is one operation, filled in by a Generator and carried out by a Session. Its slices belong to the
// generator: they are valid until its next Next, and a target that keeps them copies them.
type Op struct {
	Kind Kind

	// Key is the row's key; for a Scan the first key; unused when Keys is set.
	Key []byte
	// Keys are the rows of a MultiGet, of a MultiRow or of a batched Insert (then Key is nil).
	Keys [][]byte

	// Fields names the columns to read or write; nil reads all.
	Fields [][]byte
	// Values are the values to write, parallel to Fields; for a MultiRow or a batched Insert row r's value of field f is
	// Values[r*len(Fields)+f].
	Values [][]byte
	// ReadFields names the columns that the read of a ReadModifyWrite reads; nil reads all. Its update writes Fields and
	// Values.
	ReadFields [][]byte

	// ScanLength is the maximum number of rows of a Scan.
	ScanLength int
	// Delta is the amount that an Increment adds.
	Delta int64

	// Gather, of a MultiRow, draws each row after the first again until holds accepts it, and sets its key and values. It reports
	// whether it has found such rows. A target whose MultiRow writes rows of one place only calls it when they are not in one.
	Gather func(holds func(key []byte) bool) bool

	// Collect, if not nil, is called by the target for each cell that a Read returned, so that the caller can verify it.
	// The slices are valid during the call only.
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

// Code is the outcome of an operation.
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
	NumCodes // the number of codes
)

// String returns the code's name as results print it.
func (c Code) String() string {
	names := [NumCodes]string{
		"OK", "NOT_FOUND", "ERROR", "TIMEOUT", "NOT_IMPLEMENTED", "UNEXPECTED_STATE", "BAD_REQUEST",
		"FORBIDDEN", "SERVICE_UNAVAILABLE", "BATCHED_OK",
	}
	return names[c]
}

// Good reports whether the operation succeeded.
func (c Code) Good() bool { return c == OK || c == BatchedOK }

// Outcome is the result of an operation and the amount of data.
type Outcome struct {
	Code  Code
	Rows  int32 // rows read or written
	Bytes int64 // bytes of keys and values read or written
	Err   error // the cause if Code is not good; results show its text as a sample
}
