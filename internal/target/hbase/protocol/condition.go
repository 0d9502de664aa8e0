package protocol

import (
	"regexp"
	"slices"
)

// Condition is what an exception reports about the region, the server or the scanner of a call.
type Condition uint8

// The conditions. What a client does about each is its own decision.
const (
	OtherCondition Condition = iota // of classes that have no rule: see MayPass
	RegionMoved                     // another server has the region, or is opening it
	RegionGone                      // the region is no longer served: it was split, merged or taken offline
	RegionBusy                      // the region takes no more writes for now
	ServerBusy                      // the server is starting or its queue is full: it has not begun the call
	CallDropped                     // the server has begun the call, or could have, and given it up for lack of time or space
	ServerStopping                  // the server is stopping: others will have its regions
	MasterStopping                  // the master is stopping: another one may take over
	ScannerLost                     // the scanner is closed, expired or out of step: a new one is needed
)

// Condition classifies an exception by its class, whatever its package.
func (e *Exception) Condition() Condition {
	switch e.Short() {
	case "NotServingRegionException", "RegionMovedException", "RegionOpeningException", "WrongRegionException":
		return RegionMoved
	case "RegionOfflineException", "UnknownRegionException":
		return RegionGone
	case "RegionTooBusyException":
		return RegionBusy
	case "PleaseHoldException", "ServerNotRunningYetException", "CallQueueTooBigException":
		return ServerBusy
	case "RpcThrottlingException", "CallDroppedException", "CallTimedOutException", "RetryImmediatelyException", "MultiActionResultTooLarge":
		return CallDropped
	case "RegionServerStoppedException", "RegionServerAbortedException":
		return ServerStopping
	case "MasterStoppedException":
		return MasterStopping
	case "UnknownScannerException", "ScannerResetException", "OutOfOrderScannerNextException", "LeaseException":
		return ScannerLost
	}
	return OtherCondition
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
	return slices.Contains(Finals(), short(class))
}

// passing finds the classes of what may pass by itself: what HBase throws, and what happens to its files and connections, such
// as a ClosedChannelException or a FileNotFoundException while a region is moved. Any other class is a mistake of the server.
var passing = regexp.MustCompile(`^org\.apache\.hadoop\.|^java\.(io|net|nio)\.|IOException$|Timeout`)

// MayPass reports whether a call that failed with an exception of this class may succeed later.
func MayPass(class string) bool { return !Final(class) && passing.MatchString(class) }
