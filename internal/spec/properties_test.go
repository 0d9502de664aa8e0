package spec

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The JSON files of testdata/java contain the pairs that Java 17's Properties.load reads from the properties files beside
// them.
func TestPropertiesFilesAreReadAsJavaDoes(t *testing.T) {
	files, err := filepath.Glob("testdata/java/*.properties")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			properties, problems := readProperties("f", content)
			got := make(map[string]string)
			for _, p := range properties {
				got[p.key] = p.value
			}
			want := pairs(t, strings.TrimSuffix(file, ".properties")+".json")
			if _, ok := want[""]; ok {
				require.Len(t, problems, 1, "a value without a name is a mistake here")
				require.Contains(t, problems[0].Text, "missing name")
				delete(want, "")
			}
			require.Equal(t, want, got)
		})
	}
}

func pairs(t *testing.T, file string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	list := make(map[string]string)
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		var pair [2]string
		require.NoError(t, json.Unmarshal(lines.Bytes(), &pair))
		list[pair[0]] = pair[1]
	}
	return list
}

func TestSettingsHaveTheLineOfTheirBeginning(t *testing.T) {
	properties, problems := readProperties("f", []byte("# comment\r\n\r\na=1\rb = x\\\n  y\nc\n"))
	require.Empty(t, problems)
	require.Equal(t, []javaProperty{{"a", "1", 3}, {"b", "xy", 4}, {"c", "", 6}}, properties)
}

func TestPropertiesFilesOfOtherEncodings(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		value   string
		problem string
	}{
		"UTF-8 with a mark before it": {content: "\xef\xbb\xbftable=é", value: "é"},
		"Latin-1":                     {content: "table=\xe9", value: "é"},
		"UTF-16":                      {content: "\xff\xfet\x00", problem: "f: is in UTF-16; save it as UTF-8"},
		"no text":                     {content: "table=\x00", problem: "f: contains zero bytes; is it the right file?"},
		"too long":                    {content: strings.Repeat("#", maxFile+1), problem: "f: is 1048577 bytes long; the maximum is 1048576; is it the right file?"},
		"half an escape":              {content: "a=1\ntable=\\u12", problem: `f:2: table: invalid escape: \u needs four hexadecimal digits, as in \u00e9; write \\ for a plain backslash`},
		"an escape of other letters":  {content: "table=C:\\users", problem: `f:1: table: invalid escape: \u needs four hexadecimal digits, as in \u00e9; write \\ for a plain backslash`},
		"half a pair":                 {content: "table=\\ud83dx", value: "\ufffdx"},
	} {
		t.Run(name, func(t *testing.T) {
			properties, problems := readProperties("f", []byte(test.content))
			if test.problem != "" {
				require.Len(t, problems, 1)
				require.Contains(t, problems[0].Error(), test.problem)
				return
			}
			require.Empty(t, problems)
			require.Equal(t, []javaProperty{{"table", test.value, 1}}, properties)
		})
	}
}

func TestALineOfManyPartsIsReadWhole(t *testing.T) {
	const parts = maxFile/4 - 2
	properties, problems := readProperties("f", []byte("a="+strings.Repeat("bc\\\n", parts)))
	require.Empty(t, problems)
	require.Len(t, properties, 1)
	require.Len(t, properties[0].value, 2*parts)
}

func FuzzReadProperties(f *testing.F) {
	for _, file := range []string{
		"testdata/java/forms.properties", "testdata/java/lineends.properties", "testdata/java/backslashes.properties", "testdata/ycsb/workloada",
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add([]byte("a=\\ud83d\\ude00\\\n\\"))
	escapes := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\f", `\f`, " ", `\ `, "=", `\=`, ":", `\:`, "#", `\#`, "!", `\!`)
	f.Fuzz(func(t *testing.T, content []byte) {
		properties, problems := readProperties("f", content)
		for _, p := range problems {
			if p.Text == "" || !strings.HasPrefix(p.Place, "f") {
				t.Errorf("problem %+v has no text or place", p)
			}
		}
		lines := bytes.Count(content, []byte("\n")) + bytes.Count(content, []byte("\r")) + 1
		last := 0
		var written strings.Builder
		written.WriteString("# a mark of UTF-8 is dropped at a file's beginning only\n")
		for _, p := range properties {
			if p.key == "" || p.line <= last || p.line > lines {
				t.Errorf("property %+v follows line %d of %d", p, last, lines)
			}
			last = p.line
			written.WriteString(escapes.Replace(p.key) + "=" + escapes.Replace(p.value) + "\n")
		}
		if len(problems) > 0 || written.Len() > maxFile || strings.ContainsRune(written.String(), 0) {
			return
		}
		again, _ := readProperties("f", []byte(written.String()))
		if len(again) != len(properties) {
			t.Fatalf("%d properties, %d when written and read again", len(properties), len(again))
		}
		for i, p := range properties {
			if again[i].key != p.key || again[i].value != p.value {
				t.Errorf("%+v becomes %+v when written and read again", p, again[i])
			}
		}
	})
}
