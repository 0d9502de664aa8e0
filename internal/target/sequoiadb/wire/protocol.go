package wire

// The operations. The operation of a reply has the highest bit set.
const (
	opUpdate     = 2001
	opInsert     = 2002
	opQuery      = 2004
	opGetMore    = 2005
	opDelete     = 2006
	opKill       = 2007
	opDisconnect = 2008
	opAuthMD5    = 7000
	opAuthSCRAM  = 7003

	replyBit = 1 << 31
)

// Flags of an insert.
const (
	InsertContinue  = 0x1  // go on after a duplicate key
	InsertCounts    = 0x2  // return the number of inserted and of duplicate documents
	InsertReplace   = 0x4  // replace a document with the same key
	InsertIDPresent = 0x10 // each document has an _id
)

// Flags of an update.
const (
	UpdateUpsert = 0x1 // insert a document if none matches
	UpdateOne    = 0x2
	UpdateCounts = 0x4 // return the number of updated documents
)

// Flags of a delete.
const (
	DeleteOne    = 0x2
	DeleteCounts = 0x4 // return the number of deleted documents
)

// Flags of a query.
const (
	QueryReturnData  = 0x200   // the first documents are in the reply to the query
	QueryPrepareMore = 0x4000  // the server reads ahead
	QueryCloseAtEnd  = 0x80000 // the server closes the context with the last document
)

// Sizes of messages.
const (
	headerSize  = 28 // length, operation, thread, route, request
	replySize   = 20 // context, flag, start, number of documents
	sysInfoSize = 128

	// mostRequest is the limit of servers.
	mostRequest = 512 << 20
	// MostReply is the longest reply that is read.
	MostReply = 128 << 20
)

// NoContext is the context of a reply without further documents.
const NoContext = -1

// The words with which system information begins.
const (
	sysInfoLength  = 0xFFFFFFFF
	eyeCatcher     = 0xFFFEFDFC
	eyeCatcherBack = 0xFCFDFEFF // of a server with the other byte order
)

// Codes of errors.
const (
	CodeIO             = -1
	CodeInvalidArg     = -6
	CodeNoSpace        = -11
	CodeTimeout        = -13
	CodeNetwork        = -15
	CodeNetworkClose   = -16
	CodeDatabaseDown   = -17
	CodeNoCollection   = -23
	CodeRecordTooBig   = -24
	CodeEnd            = -29
	CodeCollection     = -22 // it exists
	CodeNotSupported   = -32
	CodeSpace          = -33 // it exists
	CodeNoSpaceOfName  = -34
	CodeNoContext      = -36
	CodeDuplicate      = -38
	CodeNoPrimary      = -71
	CodeCannotConnect  = -79
	CodeUnknownMessage = -100
	CodeNotPrimary     = -104
	CodeFewNodes       = -105
	CodeFullSync       = -129
	CodeRemoteClosed   = -134
	CodeCoordinator    = -159 // the operation is for coordinators only
	CodeForbidden      = -179
	CodeNoDomain       = -214
	CodeDomain         = -215 // it exists
	CodeNodeFault      = -250
	CodeWaitSync       = -252
)
