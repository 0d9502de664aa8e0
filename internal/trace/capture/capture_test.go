package capture

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/trace"
)

// captured returns the entries of a capture as lines.
func captured(t *testing.T, cfg Config, inputs ...string) (Report, []string, error) {
	t.Helper()
	list := make([]Input, 0, len(inputs))
	for i, text := range inputs {
		list = append(list, Input{fmt.Sprintf("log%d", i+1), strings.NewReader(text)})
	}
	var file bytes.Buffer
	report, err := Capture(list, cfg, &file)
	if err != nil {
		return report, nil, err
	}
	f, err := trace.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.NoError(t, f.Verify())
	var lines []string
	require.NoError(t, f.Each(func(e trace.Entry) error {
		key := string(e.Key)
		if f.Card.Hashed {
			key = hex.EncodeToString(e.Key)
		}
		lines = append(lines, fmt.Sprintf("%d %s %s %d %d", e.At, e.Kind, key, e.Size, e.Rows))
		return nil
	}))
	return report, lines, nil
}

func TestCSVAndJSONLinesBecomeTheSameTrace(t *testing.T) {
	want := []string{"0 READ user1 100 0", "500000000 UPDATE user2 20 0", "500000001 SCAN user1 0 7", "2000000000 INSERT user 3 5 0"}
	_, got, err := captured(t, Config{}, `time,op,table,key,size,rows,client
1765000000.5,GET,t,user1,100,,a
1765000001,put,t,user2,20,,b
1765000001.000000001,SCAN,t,user1,,7,c
1765000002.5,INSERT,t,"user 3",5,,d
`)
	require.NoError(t, err)
	require.Equal(t, want, got)
	report, got, err := captured(t, Config{}, `{"time":"2025-12-06T05:46:40.5Z","operation":"READ","key":"user1","size":100,"table":"t","more":{"a":[1]}}
{"time_ms":1765000001000,"operation":"UPDATE","key":"user2","size":"20","rows":null}

{"time_ns":1765000001000000001,"operation":"SCAN","key":"user1","rows":7}
{"time_us":1765000002500000,"operation":"INSERT","key":"user 3","size":5}
`)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, "2025-12-06T05:46:40.5Z", report.Card.Start)
	require.Equal(t, "t", report.Card.Table)
	require.EqualValues(t, 3, report.Card.Keys)
	require.EqualValues(t, 2, report.Card.Rows, "the trace inserts the third row itself")
}

func TestOperationsAreMergedAndSortedByTime(t *testing.T) {
	_, got, err := captured(t, Config{}, "time_ns,op,key\n1000,READ,a\n3000,READ,c\n2000,READ,b\n3000,UPDATE,c\n", "time_ns,op,key\n2500,READ,x\n3000,DELETE,c\n")
	require.NoError(t, err)
	require.Equal(t, []string{"0 READ a 0 0", "1000 READ b 0 0", "1500 READ x 0 0", "2000 READ c 0 0", "2000 UPDATE c 0 0", "2000 DELETE c 0 0"}, got)
}

func TestOneTableIsCaptured(t *testing.T) {
	const text = "time_ns,op,table,key\n1,READ,a,x\n2,READ,b,y\n3,READ,a,z\n"
	_, _, err := captured(t, Config{}, text)
	require.EqualError(t, err, "the input has operations of 2 tables: a (2), b (1); a trace has those of one: choose it with --from-table")
	_, _, err = captured(t, Config{Table: "c"}, text)
	require.EqualError(t, err, "the input has no operation of table c; it has a (2), b (1)")
	report, got, err := captured(t, Config{Table: "a"}, text)
	require.NoError(t, err)
	require.Equal(t, []string{"0 READ x 0 0", "2 READ z 0 0"}, got)
	require.Equal(t, map[string]int64{"operations on other tables": 1}, report.Skipped)
}

func TestHashedKeys(t *testing.T) {
	const text = "time_ns,op,key\n1,READ,x\n2,READ,y\n3,READ,x\n"
	_, one, err := captured(t, Config{Hash: true, Secret: []byte("a")}, text)
	require.NoError(t, err)
	_, again, err := captured(t, Config{Hash: true, Secret: []byte("a")}, text)
	require.NoError(t, err)
	_, other, err := captured(t, Config{Hash: true, Secret: []byte("b")}, text)
	require.NoError(t, err)
	require.Equal(t, one, again)
	require.NotEqual(t, one, other)
	key := func(line string) string { return strings.Fields(line)[2] }
	require.Equal(t, key(one[0]), key(one[2]))
	require.NotEqual(t, key(one[0]), key(one[1]))

	_, given, err := captured(t, Config{}, "time_ns,op,key_hash\n1,READ,0xff\n2,READ,0123456789abcdef0123456789abcdef\n")
	require.NoError(t, err)
	require.Equal(t, []string{"0 READ 00000000000000ff 0 0", "1 READ 0123456789abcdef 0 0"}, given)
}

// shouting is a target whose log has a key on each line, in capitals.
func shouting() descriptor.List {
	return descriptor.List{{Name: "shout", RequestLog: &descriptor.RequestLog{
		Recognizes: func(head []byte) bool { return bytes.HasPrefix(head, []byte("SHOUT")) },
		Read: func(line []byte) (*descriptor.Request, string, int, error) {
			switch text := string(line); text {
			case "SHOUT":
				return nil, "", 0, nil
			case "MANY":
				return nil, "calls with many keys", 0, nil
			case "?":
				return nil, "", 3, errors.New("no letters")
			default:
				return &descriptor.Request{At: time.Duration(len(text)), Operation: "READ", Table: "t", Key: line, Size: 9}, "", 0, nil
			}
		},
	}}}
}

func TestLogOfATarget(t *testing.T) {
	report, got, err := captured(t, Config{Targets: shouting()}, "SHOUT\nMANY\nA\nBBB\n")
	require.NoError(t, err)
	require.Equal(t, []string{"0 READ A 9 0", "2 READ BBB 9 0"}, got)
	require.Equal(t, map[string]int64{"calls with many keys": 1}, report.Skipped)
	_, _, err = captured(t, Config{Targets: shouting(), Format: "shout"}, "A\n?\n")
	require.EqualError(t, err, "log1:2:3: no letters")
	_, _, err = captured(t, Config{Targets: shouting(), Format: "whisper"}, "A\n")
	require.ErrorContains(t, err, "unknown format \"whisper\": want one of auto, csv, jsonl, shout")
}

func TestAllMistakesAreReportedWithTheirPlaces(t *testing.T) {
	_, _, err := captured(t, Config{}, `time,op,key,size
1765000000,READ,a,1
yesterday,RAED,a,1
1765000001,READ,,-4
1765000002,READ
1765000003,MULTI-GET,a,
1765000004,REA"D,a,
`, `{"time":1765000000,"op":"READ","key":"a"}
{"time":1765000000,"op":"READ","key":"a"
{"time":1765000000,"op":["READ"],"key":"a"}
[1]
{"time":1765000000,"op":"READ","key":"a","key_hash":"xyz"}
{"time_ms":"x","op":"READ","key_hash":"xyz"}
`)
	require.EqualError(t, err, strings.Join([]string{
		`log1:3:1: invalid time "yesterday": want RFC 3339, such as 2026-03-01T10:00:00.123Z, or seconds since 1970, such as 1765000000.123`,
		`log1:3:11: unknown operation "RAED"; did you mean READ?`,
		`log1:4:17: key or key_hash is missing`,
		`log1:4:18: invalid size "-4": want a whole number from 0 to 67108864, or nothing if it is unknown`,
		`log1:5:1: the line has 2 values, and the header 4`,
		`log1:6:12: invalid operation "MULTI-GET": a trace has a line for each key; write one READ for each`,
		`log1:7:15: invalid CSV: bare " in non-quoted-field`,
		`log2:2:41: invalid JSON: the object has no end on this line`,
		`log2:3:25: invalid operation: want a string or a number`,
		`log2:4:1: the line is not a JSON object, such as {"time":1765000000.123,"operation":"READ","key":"user1"}`,
		`log2:5:53: the line has both key and key_hash: write one of them`,
		`log2:6:12: invalid time_ms "x": want a number since 1970, such as 1765000000000`,
		`log2:6:39: invalid key_hash "xyz": want hexadecimal digits, at least 1 and at most 32, such as 9f3c0a71b2e4d856`,
	}, "\n"))
}

func TestTheNumberOfMistakesIsBounded(t *testing.T) {
	_, _, err := captured(t, Config{}, "time,op,key\n"+strings.Repeat("x,READ,a\n", 100))
	require.Len(t, strings.Split(err.Error(), "\n"), 41)
	require.ErrorContains(t, err, "\nand 60 more mistakes")
}

func TestMistakesOfTheWhole(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "log1:1:1: the file is empty; the first line of CSV names the columns, such as time,operation,table,key,size",
		"time,opration,key\n1,READ,a\n": `log1:1:1: operation or op is missing; is it "opration"? among the 3 columns of the first line`,
		"time,op,key\n":                 "the input has no operation",
		"time,op,key\n5,READ,a\n999999999,READ,a\n":     "log1:3:1: the operation is 277777h46m34s after the first one: a trace has at most ten years; is the unit of time right?",
		"time,op,key,key_hash\n5,READ,a,\n6,READ,,ff\n": "log1:3:1: the line has a key_hash, and log1:2 has a key: a trace has only one of them",
	} {
		_, _, err := captured(t, Config{}, text)
		require.EqualError(t, err, want)
	}
}

func TestOperationsThatAreFarOutOfOrderAreMistakes(t *testing.T) {
	var text strings.Builder
	text.WriteString("time_ns,op,key\n")
	for i := range window + 10 {
		fmt.Fprintf(&text, "%d,READ,a\n", 1000+i)
	}
	text.WriteString("1,READ,b\n")
	_, _, err := captured(t, Config{}, text.String())
	require.ErrorContains(t, err, fmt.Sprintf("log1:%d:1: the operation is ", window+12))
}

func FuzzCapture(f *testing.F) {
	f.Add([]byte("time,op,key\n5,READ,a\n"))
	f.Add([]byte(`{"time":5,"op":"READ","key":"a"}`))
	f.Add([]byte(`SHOUT (responseTooSlow): {"starttimems":"5","method":"Get","param":"region= t,,1, row=\\x00"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, format := range Formats(shouting()) {
			var file bytes.Buffer
			report, err := Capture([]Input{{"log", bytes.NewReader(text)}}, Config{Format: Format(format), Targets: shouting()}, &file)
			if err != nil {
				continue
			}
			opened, err := trace.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
			require.NoError(t, err)
			require.Equal(t, report.Card, opened.Card)
			require.NoError(t, opened.Each(func(trace.Entry) error { return nil }))
		}
	})
}
