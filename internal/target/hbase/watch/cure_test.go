package watch

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/observe"
)

func TestTheMissingSettingOfAPageIsNamed(t *testing.T) {
	refuse := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	secured, open := httptest.NewUnstartedServer(refuse), httptest.NewServer(refuse)
	secured.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secured.StartTLS()
	defer secured.Close()
	defer open.Close()
	const needsHTTPS = "; set hbase.ssl.enabled=true"
	for url, want := range map[string]string{
		open.URL:                             "; set hbase.security.authentication.ui=kerberos",
		"http" + secured.URL[len("https"):]:  needsHTTPS,
		"http://" + alerting(t):              needsHTTPS,
		"https" + open.URL[len("http"):]:     "; set hbase.ssl.enabled=false",
		"http://127.0.0.1:1/nothing/listens": "",
	} {
		err := observe.ReadPage(t.Context(), secured.Client(), url, new(bytes.Buffer))
		require.Error(t, err)
		require.Equal(t, want, cure(err), "%v", err)
	}
}

// alerting answers as the pages of HBase with HTTPS answer a request without it.
func alerting(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = c.Read(make([]byte, 1000))
		_, _ = c.Write([]byte("\x15\x03\x03\x00\x02\x02P"))
		_ = c.Close()
	}()
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		<-done
	})
	return l.Addr().String()
}
