package debugserver

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStrangersDoNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		log := slog.NewLogLogger(Few(slog.NewTextHandler(&text, nil)), slog.LevelWarn)
		for range 1000 {
			log.Print("http: TLS handshake error from 10.0.0.1:1: EOF")
		}
		require.Equal(t, 10, strings.Count(text.String(), "level=WARN msg=\"http: TLS handshake error from 10.0.0.1:1: EOF\"\n"))
		text.Reset()
		<-time.After(time.Minute)
		log.Print("another")
		log.Print("one more")
		require.Equal(t, 1, strings.Count(text.String(), "msg=another omitted=990"))
		require.Equal(t, 1, strings.Count(text.String(), "msg=\"one more\"\n"))
	})
}
