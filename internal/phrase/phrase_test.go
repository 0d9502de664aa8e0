package phrase_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/phrase"
)

func chinese(t testing.TB) phrase.Translator {
	t.Helper()
	zh, err := phrase.For("zh")
	require.NoError(t, err)
	return zh
}

// An unknown language is an error that names the known ones. English changes nothing.
func TestLanguages(t *testing.T) {
	_, err := phrase.For("fr")
	require.EqualError(t, err, `unknown language "fr": want en or zh`)
	en, err := phrase.For("en")
	require.NoError(t, err)
	require.Equal(t, "complete", en.Text("complete"))
	require.Equal(t, "complete", phrase.Translator{}.Text("complete"))
	require.Equal(t, "en", phrase.Translator{}.Lang())
	require.Equal(t, "zh", chinese(t).Lang())
}

// Sentences, lists, labels and numbers become Chinese; names stay.
func TestText(t *testing.T) {
	zh := chinese(t)
	for english, want := range map[string]string{
		"complete": "完成",
		"12,345":   "12,345",
		"READ":     "READ",
		"- S.1: missing: agent b: lost at 12.3 s of 60 s": "- S.1：缺失：agent b：在 12.3 s 失联（全长 60 s）",
		"closed loop, 30.0 s, 12,345 ops":                 "闭环，30.0 s，12,345 次操作",
		"1 run":                                           "1 次运行",
		"12 runs":                                         "12 次运行",
		"less than 0.01 %":                                "不到 0.01 %",
		"measure: 3 of 10 (30 %)":                         "测量阶段：3/10（30 %）",
		"nothing was measured.":                           "没有测得任何数据。",
		"READ p99.9":                                      "READ p99.9",
		"load, 60 s of agents a, b and c, without the CPU of every agent; measure, 10 s of agents a and b":                                        "加载阶段，agent a、b 和 c 的 60 s，不含部分 agent 的 CPU 数据；测量阶段，agent a 和 b 的 10 s",
		"agent a: scheduler lag p99 of 1.31 ms from 0 s to 0.4 s, where the operations' p99 is 8.76 ms. Tested on load, 0.4 s of agents a and b.": "agent a：从 0 s 到 0.4 s 期间调度延迟 p99 达 1.31 ms，而操作的 p99 为 8.76 ms。检验数据：加载阶段，agent a 和 b 的 0.4 s。",
		"gRPC 0.0.0.0:7070: TLS; HTTP [::]:7071: plain text, with --insecure; agents (a and b): TLS":                                              "gRPC 0.0.0.0:7070：TLS；HTTP [::]:7071：明文（使用了 --insecure）；agent（a 和 b）：TLS",
		"gRPC unix:/run/s: unix socket, for its user and root; agents: unix socket, for its user and root":                                        "gRPC unix:/run/s：unix socket，仅限其用户和 root；agent：unix socket，仅限其用户和 root",
		"- listener HTTP 127.0.0.1:7071: plain text, on this machine only":                                                                        "- 监听地址 HTTP 127.0.0.1:7071：明文，仅限本机",
		"agent load: nothing after 3 s": "agent load：3 s 之后没有数据",
		"written to the WAL in memory of all replicas (SYNC_WAL, hflush); sent from a client buffer of 2048 bytes":        "已写入 WAL，位于所有副本的内存中（SYNC_WAL，hflush）；经 2048 字节的客户端缓冲区发送",
		"in memory of the region server; written to the WAL later (ASYNC_WAL)":                                            "在 region server 的内存中，稍后写入 WAL（ASYNC_WAL）",
		"3: HDFS; 2 copies of each region in memory":                                                                      "3：HDFS；每个 region 在内存中有 2 份",
		"in the commit log, synced every 10 s (commitlog_sync periodic); acknowledged by a majority of replicas (QUORUM)": "已写入 commit log，每 10 s 同步一次（commitlog_sync periodic）；由多数副本确认（QUORUM）",
		"reads QUORUM, writes ONE: a read returns every acknowledged write":                                               "读 QUORUM，写 ONE：读取返回所有已确认的写入",
	} {
		require.Equal(t, want, zh.Text(english))
	}
}

// A text that nobody has translated stays as it is: a user's note, a sentence of a newer build, an error of a server.
func TestUnknownTextsStay(t *testing.T) {
	zh := chinese(t)
	for _, english := range []string{
		"our first try, on the old disks", "org.apache.hadoop.hbase.NotServingRegionException: table,row is not online",
		"a sentence of a build to come", "", " ", "- ", "{1} {t} {}", "\x00\xff", "运行",
	} {
		require.Equal(t, english, zh.Text(english))
	}
}

// Texts that are made to be hard are bounded.
func TestHardTextsEnd(t *testing.T) {
	zh := chinese(t)
	for _, piece := range []string{": ", ", ", "; ", "(", ") (", " of ", " from 1 to ", "agent a: ", "A. B", "<script>", "\u202e"} {
		text := strings.Repeat(piece+"x", 10_000/len(piece))
		require.NotEmpty(t, zh.Text(text))
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"agent a: lost at 12.3 s of 60 s", "measure: offered 10 ops/s, achieved 9 ops/s", "x (y) z", "1 % (2 of 3)"} {
		f.Add(seed)
	}
	zh := chinese(f)
	digits := regexp.MustCompile(`[0-9]`)
	f.Fuzz(func(t *testing.T, english string) {
		want, got := digits.FindAllString(english, -1), digits.FindAllString(zh.Text(english), -1)
		slices.Sort(want)
		slices.Sort(got)
		require.Subset(t, got, want, "a figure was lost")
	})
}

func BenchmarkText(b *testing.B) {
	const sentence = "measure: agent local-1: 134 of 10,000 operations sent late although a worker was free, by up to %d ms; " +
		"load: lowest mean idle CPU 60 %% (agent b), 0 of 6,000 operations sent late, scheduler lag p99 at most 90 µs"
	for b.Loop() {
		zh := chinese(b)
		for range 10 {
			zh.Text(sentence)
		}
	}
}

// A report has thousands of texts of which each is different.
func BenchmarkDifferentTexts(b *testing.B) {
	zh := chinese(b)
	n := 0
	for b.Loop() {
		n++
		zh.Text("measure: agent local-1: " + strconv.Itoa(n) + " of 10,000 operations sent late although a worker was free, by up to 3 ms")
	}
}
