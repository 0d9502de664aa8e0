package protocol

import (
	"regexp"
	"slices"
)

// Condition is what an exception reports about the region, the server or the scanner of a call.
type Condition uint8

// The conditions. The client decides how to react to each.
const (
	OtherCondition Condition = iota // any other class: see MayPass
	RegionMoved                     // another server has the region, or is opening it
	RegionGone                      // the region is no longer served: it was split, merged or taken offline
	RegionBusy                      // the region accepts no writes for now
	ServerBusy                      // the server is starting or its queue is full: it has not begun the call
	CallDropped                     // the server dropped the call for lack of time or space, perhaps after it had begun
	ServerStopping                  // the server is stopping: others will have its regions
	MasterStopping                  // the master is stopping: another one may take over
	ScannerLost                     // the scanner is closed, expired or out of step: a new one is needed
)

// Condition classifies an exception by its class without the package.
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

// Finals lists DoNotRetryIOException and its subclasses in HBase 2.6, without packages and in order. A test compares them with
// the jars of the HBase that tests run on.
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

// Final reports whether a retry after an exception of this class is of no use. Like HBase's own client, callers use it where an
// answer contains only the class.
func Final(class string) bool {
	return slices.Contains(Finals(), short(class))
}

// passing matches the classes of errors that may pass: HBase's own, and errors of files and connections, such as a
// ClosedChannelException or a FileNotFoundException while a region moves. Any other class is a bug in the server.
var passing = regexp.MustCompile(`^org\.apache\.hadoop\.|^java\.(io|net|nio)\.|IOException$|Timeout`)

// MayPass reports whether a call that failed with an exception of this class may succeed later.
func MayPass(class string) bool { return !Final(class) && passing.MatchString(class) }
