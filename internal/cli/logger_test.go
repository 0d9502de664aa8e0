package cli

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoggerObeysLevelAndFormat(t *testing.T) {
	var out bytes.Buffer
	logger, err := newLogger(&out, "warn", "json")
	require.NoError(t, err)
	logger.Info("not this")
	logger.Warn("this", "agent", "a")
	var line map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	require.Equal(t, "this", line["msg"])
	require.Equal(t, "a", line["agent"])

	out.Reset()
	logger, err = newLogger(&out, "debug", "text")
	require.NoError(t, err)
	logger.Debug("this")
	require.Contains(t, out.String(), "level=DEBUG msg=this")

	_, err = newLogger(&out, "loud", "text")
	require.EqualError(t, err, `log level "loud" is not one of debug, info, warn, error`)
	_, err = newLogger(&out, "warn+2", "text")
	require.Error(t, err)
	_, err = newLogger(&out, "info", "xml")
	require.EqualError(t, err, `log format "xml" is not one of text, json`)
}
