package webhook_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/webhook"
)

// The documents have the constants, the keys and the signature of the code; their example of a signature was made by openssl.
func TestTheDocumentsHaveWhatTheCodeDoes(t *testing.T) {
	for _, path := range []string{"docs/webhooks.md", "docs/zh/webhooks.md"} {
		text := doctable.Read(t, path)
		require.Contains(t, text, "`"+webhook.Sign("key", time.Unix(1700000000, 0), []byte("{}"))+"`", path)
		for _, header := range []string{webhook.HeaderEvent, webhook.HeaderDelivery, webhook.HeaderTimestamp, webhook.HeaderSignature} {
			require.Contains(t, text, "| `"+header+"` |", path)
		}
		require.Contains(t, text, `self.headers["`+webhook.HeaderSignature+`"]`)
		require.Contains(t, text, `want = "`+webhook.SignaturePrefix+`" +`)
		require.Contains(t, text, strconv.Itoa(webhook.MaxQueue), path)
		require.Contains(t, text, strconv.Itoa(int(webhook.MaxAge.Hours())), path)
		var first []string
		for _, table := range doctable.Tables(text) {
			for _, row := range table.Rows {
				first = append(first, doctable.Names(row[0])...)
			}
		}
		for _, e := range append(notice.Events(), notice.Test) {
			require.Contains(t, first, string(e), path)
		}
		for _, f := range webhook.Formats() {
			require.Contains(t, text, "`"+string(f)+"`", path)
		}
		_, after, _ := strings.Cut(text, "```yaml\n")
		example, _, _ := strings.Cut(after, "```")
		rules, err := webhook.Parse("webhooks.yaml", []byte(example))
		require.NoError(t, err, path)
		require.Len(t, rules.Hooks, 2)
		require.True(t, slices.ContainsFunc(rules.Hooks, func(h webhook.Hook) bool { _, err := url.Parse(h.URL); return err == nil && h.Secret != "" }))
	}
}
