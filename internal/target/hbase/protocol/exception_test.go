package protocol

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

func TestExceptionsArePrintedInOneLine(t *testing.T) {
	for printed, want := range map[string]string{
		"a.b.CException: text\n\tat x.y(z.java:1)\n": "CException: text",
		"text\n\tat x.y(z.java:1)\n":                 "CException: text",
		"a.b.CException\n\tat x.y(z.java:1)\n":       "CException",
		"":                                           "CException",
		"a.b.CException: text":                       "CException: text",
		"a.b.CException: two\nlines\n\tat x.y(z.java:1)\nCaused by: other":    "CException: two lines",
		"a.b.CException: \xff" + strings.Repeat("é", 400) + "\n\tat x(y:1)\n": "CException: �" + strings.Repeat("é", 248) + "…",
	} {
		require.Equal(t, want, NewException("a.b.CException", printed).Error(), printed)
	}
}

func TestAnExceptionIsTheErrorOfItsClass(t *testing.T) {
	sentinels := []error{ErrNoTable, ErrTableExists, ErrNoNamespace, ErrDisabled, ErrEnabled}
	for class, is := range map[string]int{
		"TableNotFoundException": 0, "TableExistsException": 1, "NamespaceNotFoundException": 2,
		"TableNotEnabledException": 3, "TableNotDisabledException": 4, "RegionTooBusyException": -1,
	} {
		e := NewException("org.apache.hadoop.hbase."+class, "")
		for i, sentinel := range sentinels {
			require.Equal(t, i == is, errors.Is(e, sentinel), "%s: %v", class, sentinel)
		}
	}
}

// An exception is read as it was written, and gohbase reads it, too.
func TestExceptionsAreReadAsTheyAreWritten(t *testing.T) {
	for _, e := range []*Exception{
		{Class: "a.b.CException", Message: "text", DoNotRetry: true},
		{Class: "a.b.RegionMovedException", Message: "Region moved to: hostname=h port=16020 startCode=7.", Host: "h", Port: 16020},
	} {
		b := e.Append(nil)
		got := ParseException(b)
		require.Equal(t, []any{e.Class, e.Message, e.DoNotRetry}, []any{got.Class, got.Message, got.DoNotRetry})
		var m pb.ExceptionResponse
		require.NoError(t, proto.Unmarshal(b, &m))
		require.Equal(t, e.Class+": "+e.Message, m.GetStackTrace())
		require.Equal(t, []any{e.Class, e.Host, int32(e.Port), e.DoNotRetry},
			[]any{m.GetExceptionClassName(), m.GetHostname(), m.GetPort(), m.GetDoNotRetry()})
	}
}

func TestAMovedRegionNamesItsServer(t *testing.T) {
	const text = "Region moved to: hostname=h port=16020 startCode=7. As of locationSeqNum=1."
	require.Equal(t, "h:16020", NewException("x.RegionMovedException", text).MovedTo())
	require.Empty(t, NewException("x.RegionMovedException", "somewhere").MovedTo())
	require.Empty(t, NewException("x.NotServingRegionException", text).MovedTo())
}

func TestExceptionsAreClassified(t *testing.T) {
	const hbase = "org.apache.hadoop.hbase."
	for class, want := range map[string]struct {
		condition Condition
		mayPass   bool
	}{
		hbase + "NotServingRegionException":                 {RegionMoved, true},
		hbase + "exceptions.RegionMovedException":           {RegionMoved, true},
		hbase + "exceptions.RegionOpeningException":         {RegionMoved, true},
		hbase + "regionserver.WrongRegionException":         {RegionMoved, true},
		hbase + "UnknownRegionException":                    {RegionGone, false},
		hbase + "client.RegionOfflineException":             {RegionGone, true},
		hbase + "RegionTooBusyException":                    {RegionBusy, true},
		hbase + "PleaseHoldException":                       {ServerBusy, true},
		hbase + "ipc.ServerNotRunningYetException":          {ServerBusy, true},
		hbase + "CallQueueTooBigException":                  {ServerBusy, true},
		hbase + "ipc.CallQueueTooBigException":              {ServerBusy, true},
		hbase + "quotas.RpcThrottlingException":             {CallDropped, true},
		hbase + "MultiActionResultTooLarge":                 {CallDropped, true},
		hbase + "regionserver.RegionServerStoppedException": {ServerStopping, true},
		hbase + "exceptions.MasterStoppedException":         {MasterStopping, false},
		hbase + "UnknownScannerException":                   {ScannerLost, false},
		hbase + "exceptions.ScannerResetException":          {ScannerLost, false},
		hbase + "regionserver.Leases$LeaseException":        {ScannerLost, false},
		hbase + "TableNotFoundException":                    {OtherCondition, false},
		hbase + "security.AccessDeniedException":            {OtherCondition, false},
		"java.io.IOException":                               {OtherCondition, true},
		"java.util.concurrent.TimeoutException":             {OtherCondition, true},
		"java.lang.NullPointerException":                    {OtherCondition, false},
	} {
		e := &Exception{Class: class}
		require.Equal(t, want.condition, e.Condition(), class)
		require.Equal(t, want.mayPass, MayPass(class), class)
	}
}
