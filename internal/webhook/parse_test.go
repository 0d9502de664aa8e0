package webhook_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/webhook"
)

const badFile = `link: https://bench.example.com/
hoks: []
hooks:
  - name: chat tool
    url: ftp://hooks.example.com/T0KEN
    events: [suite_endet, limit_violated]
    format: slak
  - name: ci
    url: http://ci.example.com/T0KEN
    secret: hunter2
    timeout: 5m
    suites: ["[a"]
    events: []
    tokn: T0KEN
  - name: ci
    url: https://T0KEN@ci.example.com
    events: suite_ended
    tags: main
  - url: file:../T0KEN
    events: [{a: b}]
    insecure: perhaps
`

func TestAllMistakesOfAFileAreReportedWithTheirPlaceAndWithoutItsSecrets(t *testing.T) {
	_, err := webhook.Parse("w.yaml", []byte(badFile))
	require.Error(t, err)
	require.Equal(t, []string{
		`w.yaml:1:7: link: want an address with {suite} for the id of the suite, such as https://bench.example.com/suites/{suite}`,
		`w.yaml:2:1: unknown key "hoks" (did you mean "hooks"?)`,
		`w.yaml:4:11: name: want up to 63 letters, digits, dots, dashes and underscores`,
		`w.yaml:5:10: url: want an address https://HOST/PATH; this message does not repeat the value, which may contain a secret`,
		`w.yaml:6:14: events: unknown event "suite_endet" (did you mean "suite_ended"?)`,
		`w.yaml:7:13: format: unknown format "slak" (did you mean "slack"?)`,
		`w.yaml:9:10: url: plain HTTP beyond this machine shows notices to everyone on the network: use https, or set insecure: true`,
		`w.yaml:10:13: secret: a secret is given by reference, never by its value: write file:PATH, env:BENCHD_SECRET_NAME or credential:NAME; this message does not repeat the value`,
		`w.yaml:11:14: timeout: want a duration from 100ms to 1m0s, such as 10s`,
		`w.yaml:12:14: suites: invalid pattern: want the name of suites with * for any letters, such as nightly-*`,
		`w.yaml:13:13: events: the list is empty; add a value, or remove the line`,
		`w.yaml:14:5: unknown key "tokn": want one of name, url, events, format, suites, tags, secret, ca, timeout, insecure`,
		`w.yaml:15:5: hook ci: another hook has this name, on line 8`,
		`w.yaml:16:10: url: the address contains a password or user: receivers check the signature instead; see secret`,
		`w.yaml:18:11: tags: want lines KEY: VALUE`,
		`w.yaml:19:5: the hook has no name`,
		`w.yaml:19:10: url: want an address, or a reference file:PATH, env:BENCHD_SECRET_NAME or credential:NAME to it`,
		`w.yaml:20:14: events: want a single value`,
		`w.yaml:21:15: insecure: want true or false`,
	}, strings.Split(err.Error(), "\n"))
	require.NotContains(t, err.Error(), "T0KEN")
	require.NotContains(t, err.Error(), "hunter2")
}

func TestASyntaxErrorHasItsLineAndRepeatsNoValue(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "w.yaml:1:1: the file is empty",
		"hooks: [\n  {name: T0KEN":            "w.yaml:1:1: invalid YAML",
		"hooks: []\n---\nhooks: []\n":         "w.yaml:1:1: the file has more than one YAML document",
		"[]":                                  "w.yaml:1:1: want a list \"hooks:\"",
		"link: https://a/{suite}\n":           "w.yaml:1:1: the key hooks is missing",
		"hooks: &a []\n":                      "",
		"hooks:\n  - &T0KEN {name: a}\n  - 5": "w.yaml:2:5: anchors and aliases are not supported",
	} {
		_, err := webhook.Parse("w.yaml", []byte(text))
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "T0KEN")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(badFile))
	f.Add([]byte("hooks:\n  - {name: a, url: https://b/c, events: [suite_ended], tags: {a: b}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rules, err := webhook.Parse("w.yaml", text)
		require.Equal(t, err == nil, rules != nil)
	})
}
