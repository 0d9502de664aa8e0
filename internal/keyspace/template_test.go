package keyspace

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func template(t require.TestingT, text string) Names {
	parsed, err := ParseTemplate(text)
	require.NoError(t, err, text)
	return NewTemplateNames(parsed)
}

func keyOf(names Names, n int64) string { return string(names.Append(nil, n)) }

func TestPartsOfTemplates(t *testing.T) {
	for _, test := range []struct {
		template string
		n        int64
		want     string
	}{
		{"{seq}", 0, "0"},
		{"user{seq}", 42, "user42"},
		{"é{seq}{{x}}", 42, "é42{x}"},
		{"{seq:pad(9)}", 42, "000000042"},
		{"{seq:pad(2)}", 4200, "4200"},
		{"{seq:pad(6),reverse}", 1234, "432100"},
		{"{seq:reverse}", 1230, "0321"},
		{"{seq:hex}", 0xbeef, "000000000000beef"},
		{"{seq:hex,reverse}", 0xbeef, "feeb000000000000"},
		{"{seq:base62}", 61*62 + 10, "000000000zA"},
		{"{seq:base62}", math.MaxInt64, "AzL8n0Y58m7"},
		{"{seq:hash}", 0, fmt.Sprintf("%016x", scatter(0))},
		{"{a:cycle(100)}-{seq}", 1234, "34-1234"},
		{"{a:cycle(1)}-{seq}", 1234, "0-1234"},
		{"{ts}", 3, "1704067203000"},
		{"{ts:s,step(10s)}", 3, "1704067230"},
		{"{ts:us,step(1ms),start(2024-01-01T00:00:01+01:00)}", 2, "1704063601002000"},
		{"{ts:ns,step(1ns)}", 5, "1704067200000000005"},
		{"{ts:s,start(1970-01-01)}", 7, "0000000007"},
		{"{ts:reverse}", 3, strconv.Itoa(math.MaxInt64 - 1704067203000)},
		{"{ts:day,step(24h)}", 59, "20240229"},
		{"{ts:second,step(1h)}", 60*24 - 1, "20240229T230000Z"},
		{"{d:cycle(10)}/{ts:per(10)}", 123, "3/1704067212000"},
		{"{ a : uniform( 10 ) }-{seq:hash , base62}", 1, ""},
	} {
		got := keyOf(template(t, test.template), test.n)
		if test.want != "" {
			require.Equal(t, test.want, got, test.template)
		}
	}
}

// The calendar agrees with package time, on every day of its range.
func TestCalendarOfTemplates(t *testing.T) {
	names := template(t, "{ts:second,step(24h),start(1970-01-01T05:06:07Z)}")
	at := time.Date(1970, 1, 1, 5, 6, 7, 0, time.UTC)
	for n := range names.template.Limit() {
		if got, want := keyOf(names, n), at.AddDate(0, 0, int(n)).Format("20060102T150405Z"); got != want {
			require.Equal(t, want, got)
		}
	}
	require.Equal(t, "99991231T050607Z", keyOf(names, names.template.Limit()-1), "the last row below the limit")
}

func TestMistakesInTemplates(t *testing.T) {
	for template, want := range map[string]string{
		"":                 "column 1 of the template: the template is empty; write at least {seq}, the key number",
		"user":             "column 1 of the template: two rows could have the same key: no part differs for every row; add {seq} or {seq:hash}, the key number, or {ts}, its time",
		"{t:zipf(10)}":     "column 1 of the template: two rows could have the same key: no part differs for every row; add {seq} or {seq:hash}, the key number, or {ts}, its time",
		"{a:hex(16)}":      "column 1 of the template: two rows could have the same key: no part differs for every row; add {seq} or {seq:hash}, the key number, or {ts}, its time",
		"{seq":             "column 1 of the template: { without }; end the part with }, or write {{ for a brace in the key",
		"é{a{seq}}":        "column 2 of the template: { without }; end the part with }, or write {{ for a brace in the key\ncolumn 9 of the template: } without {; write }} for a brace in the key",
		"{}-{seq}":         "column 2 of the template: an option is missing; remove the comma or colon, or write the option",
		"{1a:hex(3)}{seq}": "column 2 of the template: invalid part {1a:hex(3)}: want a name of letters, digits and _, and options after a colon, such as {tenant:zipf(1000)}",
		"{seq}-{seq:hash}": "column 8 of the template: a second part with the name seq; give it another name",
		"{seq:has}":        `column 6 of the template: unknown option "has" of seq; did you mean hash?`,
		"{seq:random}":     `column 6 of the template: unknown option "random" of seq: want pad, hex, base62, hash, reverse`,
		"{ts:stat(2024-01-01),revers}": `column 5 of the template: unknown option "stat" of ts; did you mean start?` + "\n" +
			`column 22 of the template: unknown option "revers" of ts; did you mean reverse?`,
		"{tss:reverse}":       "column 2 of the template: unknown part tss; did you mean ts?",
		"{tss:reverse,day}":   "column 2 of the template: unknown part tss; did you mean ts?",
		"{sek:hash}":          "column 2 of the template: unknown part sek; did you mean seq?",
		"{Seq}":               "column 2 of the template: unknown part Seq; did you mean seq?",
		"{slat(16)}-{seq}":    "column 2 of the template: slat takes no argument; did you mean salt?",
		"{tss:zpif(9)}-{seq}": `column 6 of the template: unknown option "zpif" of part tss; did you mean zipf?`,
		"{time:reverse}":      `column 7 of the template: unknown option "reverse" of part time: want zipf(n), uniform(n), cycle(n), hex(digits) or base62(digits)`,
		"{seq:pad(0)}":        `column 10 of the template: invalid number "0" of pad: want an integer from 1 to 19`,
		"{seq:hash,hash}":     "column 11 of the template: hash appears twice; remove one of them",
		"{seq:hex,base62}":    "column 10 of the template: hex and base62 exclude each other; remove one of them",
		"{seq(9)}":            "column 2 of the template: seq takes no argument: write its options after a colon, such as {tenant:zipf(1000)}; only salt(n) has one",
		"{salt}-{seq}":        "column 2 of the template: salt needs the number of its buckets; write {salt(16)}",
		"{salt(x)}-{seq}":     `column 7 of the template: invalid number "x" of salt: want an integer from 1 to 1000000`,
		"{tenant}-{seq}":      "column 2 of the template: part tenant needs one option: zipf(n), uniform(n), cycle(n), hex(digits) or base62(digits); the parts seq, ts and salt(n) have their own",
		"{t:zipf}-{seq}":      "column 4 of the template: zipf needs a number from 1 to 1000000, such as zipf(10)",
		"{t:zipf(9,x)}-{seq:pad(30)}, {u:normal(3)}": `column 11 of the template: invalid skew "x" of zipf: want a number from 0 to 10, such as 0.99` + "\n" +
			`column 24 of the template: invalid number "30" of pad: want an integer from 1 to 19` + "\n" +
			`column 33 of the template: unknown option "normal" of part u: want zipf(n), uniform(n), cycle(n), hex(digits) or base62(digits)`,
		"{t:zipf((9))}-{seq}":                       `column 4 of the template: invalid option "zipf((9))": want one pair of parentheses at its end, such as zipf(1000)`,
		"{ts:step(0s)}":                             `column 5 of the template: invalid step "0s": want a duration above 0, such as step(10s)`,
		"{ts:start(1812-01-01)}":                    `column 5 of the template: invalid start "1812-01-01": want a date from 1970 to 2261, such as start(2024-01-31) or start(2024-01-31T12:00:00Z)`,
		"{ts:step(1ms),s}":                          "column 5 of the template: step 1ms is not a multiple of 1s, the resolution of s: rows would share a time; write a longer step, or a finer format",
		"{ts:day}":                                  "column 5 of the template: step 1s is not a multiple of 24h0m0s, the resolution of day: rows would share a time; write a longer step, or a finer format",
		"{ts:day,step(24h),reverse}":                "column 19 of the template: day has no reverse; write {ts:reverse,s} or {ts:reverse}",
		"{ts:ms,us}":                                "column 8 of the template: ms and us exclude each other; remove one of them",
		"{ts:per(10)}":                              "column 2 of the template: two rows could have the same key: 10 rows share each time, and the cycles beside it have only 1 different values; write per(1) or less, or cycle(10) or more, or add {seq}",
		"{a:cycle(4)}-{b:cycle(6)}-{ts:per(13)}":    "column 28 of the template: two rows could have the same key: 13 rows share each time, and the cycles beside it have only 12 different values; write per(12) or less, or cycle(13) or more, or add {seq}",
		"{seq}{ts}":                                 "column 2 of the template: two rows could have the same key: the digits of {seq} have no fixed width, and no character separates them from what is beside them; put one that is not a digit between the parts, such as -, or write {seq:pad(19)}, {seq:hex} or {seq:hash}",
		"{d:cycle(3)}{ts:per(3)}{x:base62(3)}":      "column 14 of the template: two rows could have the same key: the digits of {ts} have no fixed width, and no character separates them from what is beside them; put one that is not a digit between the parts, such as -",
		"{ts}{seq:pad(9)}7{a:hex(2)}{ts2:cycle(3)}": "column 2 of the template: two rows could have the same key: the digits of {ts} have no fixed width, and no character separates them from what is beside them; put one that is not a digit between the parts, such as -",
		strings.Repeat("x", 900) + "{seq}{a:hex(16)}{b:hex(16)}{c:hex(16)}{d:hex(16)}{e:hex(16)}{f:hex(16)}{g:hex(16)}": "column 1 of the template: the keys have up to 1031 bytes; the maximum is 1024, which every database takes: remove parts",
		strings.Repeat("x", 1001): "column 1001 of the template: the template is 1001 bytes long; the maximum is 1000",
		"\xff{seq}":               "column 1 of the template: a byte that is not UTF-8; keys are text",
		"a\tb{seq}":               "column 2 of the template: a control character; keys are text",
	} {
		_, err := ParseTemplate(template)
		require.EqualError(t, err, want, template)
		joined, ok := err.(interface{ Unwrap() []error })
		require.True(t, ok)
		for _, one := range joined.Unwrap() {
			var mistake *TemplateError
			require.ErrorAs(t, one, &mistake)
			require.Positive(t, mistake.Column)
		}
	}
}

// anyTemplate draws a template, with a proof of uniqueness or without one.
func anyTemplate(t *rapid.T) string {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{"-", "x", "7", "0", "user", "{{", ":"}),
		rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(1, 40).Draw(t, "n")
			return fmt.Sprintf(rapid.SampledFrom([]string{"{NAME:zipf(%d)}", "{NAME:uniform(%d)}", "{NAME:cycle(%d)}", "{salt(%d)}", "{seq:pad(%d)}", "{ts:per(%d)}", "{ts:s,per(%d)}"}).Draw(t, "part"), n)
		}),
		rapid.SampledFrom([]string{"{seq}", "{seq:reverse}", "{seq:hash}", "{seq:hex}", "{seq:base62,hash}", "{ts}", "{ts:reverse}", "{ts:day,step(24h)}", "{NAME:hex(1)}", "{NAME:base62(1)}"}),
	)
	parts := rapid.SliceOfN(part, 1, 6).Draw(t, "parts")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "NAME", string(rune('a'+i)))
	}
	return strings.Join(parts, "")
}

// Every template that is accepted gives all rows different keys, no longer than it says. Templates of small parts, so that one
// without a proof would collide.
func TestKeysOfTemplatesAreUnique(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		text := anyTemplate(t)
		parsed, err := ParseTemplate(text)
		if err != nil {
			return
		}
		accepted++
		names := NewTemplateNames(parsed)
		from := rapid.SampledFrom([]int64{0, 7, 95, 999_990, 1 << 40}).Draw(t, "from")
		seen := make(map[string]int64)
		for n := from; n < min(from+400, parsed.Limit()); n++ {
			key := keyOf(names, n)
			if before, ok := seen[key]; ok {
				t.Fatalf("%s: rows %d and %d have the key %s", text, before, n, key)
			}
			seen[key] = n
			if len(key) > parsed.Longest() {
				t.Fatalf("%s: key %s is longer than %d", text, key, parsed.Longest())
			}
		}
	})
	require.Greater(t, accepted, 10)
}

// The refusal is not idle: of the templates that it refuses, these do collide.
func TestRefusedTemplatesCollide(t *testing.T) {
	for _, text := range []string{"{a:cycle(4)}-{b:cycle(6)}-{ts:per(13)}", "{a:hex(1)}-{t:zipf(10)}"} {
		p := templateParser{text: text}
		p.parse()
		require.Empty(t, p.wrong, text)
		_, err := ParseTemplate(text)
		require.Error(t, err, text)
		names := NewTemplateNames(&Template{parts: p.parts})
		seen := make(map[string]bool)
		for n := range int64(10_000) {
			seen[keyOf(names, n)] = true
		}
		require.Less(t, len(seen), 10_000, text)
	}
}

// Each drawn part has the shares that its option names, over the rows, and does not depend on other parts.
func TestSharesOfTemplateParts(t *testing.T) {
	equal := func(n int) []float64 { return slices.Repeat([]float64{1 / float64(n)}, n) }
	zipf := func(n int, skew float64) []float64 {
		var sum float64
		p := make([]float64, n)
		for i := range p {
			p[i] = math.Pow(float64(i+1), -skew)
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	for part, want := range map[string][]float64{
		"{tenant:zipf(1000)}":    zipf(1000, 0.99),
		"{tenant:zipf(10, 1.5)}": zipf(10, 1.5),
		"{tenant:zipf(7, 0)}":    equal(7),
		"{tenant:uniform(1000)}": equal(1000),
		"{salt(16)}":             equal(16),
		"{salt(100)}":            equal(100),
		"{device:cycle(50)}":     equal(50),
	} {
		names := template(t, part+"-{seq}")
		counts := make([]int64, len(want))
		both := make([]int64, len(want)*2) // with the parity of another part
		other := template(t, "{other:uniform(2)}-{seq}")
		var key, second []byte
		for n := range int64(draws) {
			key, second = names.Append(key[:0], n), other.Append(second[:0], n)
			i := 0
			for _, c := range key[:slices.Index(key, '-')] {
				i = 10*i + int(c-'0')
			}
			counts[i]++
			both[2*i+int(second[0]-'0')]++
		}
		if strings.Contains(part, "cycle") {
			require.Equal(t, slices.Repeat([]int64{draws / 50}, 50), counts)
			continue
		}
		requireChiSquare(t, counts, want)
		halves := make([]float64, 0, 2*len(want))
		for _, p := range want {
			halves = append(halves, p/2, p/2)
		}
		requireChiSquare(t, both, halves)
	}
}

// Hashes and random texts are spread evenly over their range.
func TestHashesOfTemplatesAreUniform(t *testing.T) {
	value := func(key string, base float64, alphabet string) float64 {
		var f float64
		for i := len(key) - 1; i >= 0; i-- {
			f = (f + float64(strings.IndexByte(alphabet, key[i]))) / base
		}
		return f
	}
	const hex, wide = "0123456789abcdef", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for _, test := range []struct {
		template string
		length   int
		base     float64
		alphabet string
		end      float64 // of the range
	}{
		{"{seq:hash}", 16, 16, hex, 1},
		{"{seq:hash,base62}", 11, 62, wide, math.Pow(2, 64) / math.Pow(62, 11)},
		{"{id:hex(8)}{seq:pad(19)}", 8, 16, hex, 1},
		{"{id:base62(7)}{seq:pad(19)}", 7, 62, wide, 1},
	} {
		names := template(t, test.template)
		sample := make([]float64, draws/10)
		digits := make([]int64, len(test.alphabet))
		for n := range sample {
			key := keyOf(names, int64(n))[:test.length]
			sample[n] = value(key, test.base, test.alphabet) / test.end
			digits[strings.IndexByte(test.alphabet, key[test.length-1])]++
		}
		requireKolmogorovSmirnov(t, sample, func(x float64) float64 { return x })
		requireChiSquare(t, digits, slices.Repeat([]float64{1 / test.base}, int(test.base)))
	}
}

func TestTemplatesDoNotAllocate(t *testing.T) {
	for _, text := range benchmarkTemplates() {
		names := template(t, text)
		key := make([]byte, 0, names.Longest())
		n := int64(0)
		require.Zero(t, testing.AllocsPerRun(1000, func() { key = names.Append(key[:0], n); n += 12345 }), text)
	}
}

// Split points divide the rows of a template evenly, whether the sample covers all of them or not.
func TestQuantilesOfTemplates(t *testing.T) {
	for _, text := range []string{"{tenant:zipf(1000)}-{ts:reverse}-{seq:hash}", "{seq:hash}", "{seq:pad(9)}", "{salt(16)}-{d:cycle(100)}-{ts:per(100)}", "{seq}"} {
		for _, rows := range []int64{10_000, 300_000} {
			const parts = 20
			names := template(t, text)
			points := names.Quantiles(7, 7+rows, parts)
			require.Len(t, points, parts-1, text)
			require.Equal(t, points, names.Quantiles(7, 7+rows, parts), "the same on every agent")
			counts := make([]int64, parts)
			var key []byte
			for n := range rows {
				key = names.Append(key[:0], 7+n)
				i, found := slices.BinarySearchFunc(points, key, slices.Compare[[]byte])
				if found {
					i++
				}
				counts[i]++
			}
			for _, c := range counts {
				require.InEpsilon(t, rows/parts, c, 0.1, "%s: %v", text, counts)
			}
		}
	}
	names := template(t, "{seq}")
	require.Empty(t, names.Quantiles(0, 0, 5))
	require.Len(t, names.Quantiles(0, 3, 5), 2, "fewer rows than parts")
}

func FuzzParseTemplate(f *testing.F) {
	for _, text := range benchmarkTemplates() {
		f.Add(text, int64(7))
	}
	f.Add("{a:zipf(9,1)}{{-{ts:second,per(3),step(1h)}", int64(1<<40))
	f.Fuzz(func(t *testing.T, text string, n int64) {
		parsed, err := ParseTemplate(text)
		if err != nil {
			var mistake *TemplateError
			require.ErrorAs(t, err, &mistake)
			return
		}
		names := NewTemplateNames(parsed)
		n = max(n, -n-1) % parsed.Limit()
		require.LessOrEqual(t, len(names.Append(nil, n)), parsed.Longest())
	})
}

func benchmarkTemplates() []string {
	return []string{
		"{tenant:zipf(1000)}-{ts:reverse}-{seq:hash}", "user{seq:pad(12)}", "user{seq:hash}", "{salt(16)}-{seq:pad(12)}",
		"{device:cycle(1000)}-{ts:per(1000),second}", "{seq:hash,base62}", "{a:uniform(100000)}-{b:base62(6)}-{seq:hex,reverse}",
	}
}

func BenchmarkNames(b *testing.B) {
	run := func(name string, names Names) {
		b.Run(name, func(b *testing.B) {
			key := make([]byte, 0, names.Longest())
			n := int64(0)
			for b.Loop() {
				key = names.Append(key[:0], n&0xfffff)
				n += 7919
			}
		})
	}
	run("ycsb", NewNames("user", 1, false))
	run("ycsb ordered", NewNames("user", 12, true))
	for _, text := range benchmarkTemplates() {
		run(text, template(b, text))
	}
}
