package rpc

import (
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Exception is what a server throws.
type Exception struct {
	Class      string // with its package
	Message    string // one line, without class and stack
	DoNotRetry bool
}

// Error gives the class without its package, and the message.
func (e *Exception) Error() string {
	if e.Message == "" {
		return e.Short()
	}
	return e.Short() + ": " + e.Message
}

// Short is the class without its package.
func (e *Exception) Short() string {
	return e.Class[strings.LastIndexAny(e.Class, ".$")+1:]
}

// NewException makes an exception of its class and what Java prints of it, which is its class, its message and its
// stack.
func NewException(class, printed string) *Exception {
	e := &Exception{Class: strings.ToValidUTF8(class, "�")}
	printed = strings.ToValidUTF8(printed, "�")
	first, rest, _ := strings.Cut(printed, "\n")
	for rest != "" { // a message may have lines of its own, up to the stack
		line, after, _ := strings.Cut(rest, "\n")
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "Caused by:") || strings.HasPrefix(line, "... ") {
			break
		}
		first, rest = first+" "+line, after
	}
	first = strings.TrimSpace(first)
	for e.Class != "" { // what wraps an exception says its class again
		after, found := strings.CutPrefix(first, e.Class)
		if !found {
			break
		}
		first = strings.TrimSpace(strings.TrimPrefix(after, ":"))
	}
	const longest = 500
	if len(first) > longest {
		first = strings.ToValidUTF8(first[:longest], "") + "…"
	}
	e.Message = first
	return e
}

// Finals are the names, without package and in order, of DoNotRetryIOException and its subclasses in HBase 2.6. A test compares them
// with the jars of the HBase that tests run on.
func Finals() []string {
	return []string{
		"AccessDeniedException", "BadAuthException", "ConcurrentTableModificationException", "ConstraintException",
		"CoprocessorException", "CorruptHFileException", "CorruptedSnapshotException", "DoNotRetryIOException",
		"DoNotRetryRegionException", "EmptyServiceNameException", "ExportSnapshotException", "FailedSanityCheckException",
		"FatalConnectionException", "HBaseSnapshotException", "InvalidFamilyOperationException", "InvalidLabelException",
		"LabelAlreadyExistsException", "LeaseException", "LocalConnectionClosedException", "MasterStoppedException",
		"MergeRegionException", "NamespaceExistException", "NamespaceNotFoundException", "NoServerForRegionException",
		"NoSuchColumnFamilyException", "NotAllMetaRegionsOnlineException", "OperationTimeoutExceededException",
		"OutOfOrderScannerNextException", "QuotaExceededException", "ReplicationPeerNotFoundException",
		"RequestTooBigException", "RestoreSnapshotException", "RowTooBigException", "ScannerResetException",
		"ServerTooBusyException", "SnapshotCreationException", "SnapshotDoesNotExistException", "SnapshotExistsException",
		"SnapshotTTLExpiredException", "SpaceLimitingException", "StoppedRpcClientException", "TableExistsException",
		"TableNotDisabledException", "TableNotEnabledException", "TableNotFoundException", "ThrottlingException",
		"UnknownProtocolException", "UnknownRegionException", "UnknownScannerException", "UnknownServiceException",
		"UnknownSnapshotException", "UnsupportedCellCodecException", "UnsupportedCompressionCodecException",
		"UnsupportedCryptoException", "WrongVersionException",
	}
}

// Final reports whether an exception of this class says that a retry is of no use. Where an answer carries only the class,
// HBase's own client knows it from the class, too.
func Final(class string) bool {
	return slices.Contains(Finals(), class[strings.LastIndexAny(class, ".$")+1:])
}

// passing finds the classes of what may pass by itself: what HBase throws, and what happens to its files and connections, such
// as a ClosedChannelException or a FileNotFoundException while a region is moved. Any other class is a mistake of the server.
var passing = regexp.MustCompile(`^org\.apache\.hadoop\.|^java\.(io|net|nio)\.|IOException$|Timeout`)

// MayPass reports whether a call that failed with an exception of this class may succeed later.
func MayPass(class string) bool { return !Final(class) && passing.MatchString(class) }

// parseException reads an ExceptionResponse.
func parseException(b []byte) *Exception {
	var class, stack string
	doNotRetry := false
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			break
		}
		b = b[n:]
		size := protowire.ConsumeFieldValue(num, kind, b)
		if size < 0 {
			break
		}
		switch {
		case num == 1 && kind == protowire.BytesType:
			class, _ = protowire.ConsumeString(b)
		case num == 2 && kind == protowire.BytesType:
			stack, _ = protowire.ConsumeString(b)
		case num == 5 && kind == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(b)
			doNotRetry = v != 0
		}
		b = b[size:]
	}
	e := NewException(class, stack)
	e.DoNotRetry = doNotRetry
	return e
}
