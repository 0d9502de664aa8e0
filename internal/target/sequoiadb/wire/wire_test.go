package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/tolerance"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// golden reads the bytes of a file of hexadecimal lines, in which # begins a comment.
func golden(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".hex"))
	require.NoError(t, err)
	var digits strings.Builder
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	b, err := hex.DecodeString(digits.String())
	require.NoError(t, err)
	return b
}

// The frames of requests are those that were written down by hand from what a real server accepts.
func TestRequestsAreTheGoldenFrames(t *testing.T) {
	for name, write := range map[string]func(*Message){
		"insert": func(m *Message) {
			m.Insert("cs.cl", InsertIDPresent)
			m.Begin()
			m.Key("_id", []byte("k1"))
			m.Binary([]byte("f"), []byte("abc"))
			m.End()
		},
		"query": func(m *Message) {
			m.Query("cs.cl", QueryReturnData|QueryPrepareMore|QueryCloseAtEnd, 0, 1)
			m.Begin()
			m.Key("_id", []byte("k1"))
			m.End()
			m.Begin()
			m.Field([]byte("f"))
			m.End()
			m.Empty()
			m.Empty()
		},
		"update": func(m *Message) {
			m.Update("cs.cl", UpdateCounts|UpdateUpsert)
			m.Begin()
			m.Key("_id", []byte("k1"))
			m.End()
			m.Begin()
			m.BeginDocument("$inc")
			m.Int64([]byte("n"), -2)
			m.End()
			m.End()
			m.Empty()
		},
		"delete": func(m *Message) {
			m.Delete("cs.cl", DeleteCounts)
			m.Begin()
			m.Key("_id", []byte("k1"))
			m.End()
			m.Empty()
		},
		"getmore": func(m *Message) { m.GetMore(7, -1) },
		"kill":    func(m *Message) { m.Kill(7) },
		"command": func(m *Message) {
			m.Query("$get count", 0, 0, -1)
			m.Empty()
			m.Empty()
			m.Empty()
			m.Begin()
			m.Text("Collection", "cs.cl")
			m.End()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var m Message
			write(&m)
			require.NoError(t, m.finish(5))
			require.Equal(t, hex.Dump(golden(t, name)), hex.Dump(m.b))
		})
	}
}

// script answers each message of a client with the next answer, after the system information.
func script(t testing.TB, info []byte, answers ...[]byte) (addr string, got func() [][]byte) {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var mu sync.Mutex
	var messages [][]byte
	var work sync.WaitGroup
	work.Go(func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.ReadFull(conn, make([]byte, 12))
		_, _ = conn.Write(info)
		for i := 0; ; i++ {
			head := make([]byte, 4)
			if _, err := io.ReadFull(conn, head); err != nil {
				return
			}
			n := binary.LittleEndian.Uint32(head)
			if n < headerSize || n > 1<<20 {
				return // no message
			}
			rest := make([]byte, n-4)
			_, _ = io.ReadFull(conn, rest)
			mu.Lock()
			messages = append(messages, bytes.Join([][]byte{head, rest}, nil))
			mu.Unlock()
			if i < len(answers) {
				_, _ = conn.Write(answers[i])
			}
			if i >= len(answers)-1 && len(answers) > 0 && answers[len(answers)-1] == nil {
				return // close
			}
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		work.Wait()
	})
	return l.Addr().String(), func() [][]byte {
		mu.Lock()
		defer mu.Unlock()
		return messages
	}
}

// authed is an answer to an authentication by MD5.
func authed() []byte { return frame(opAuthMD5, NoContext, 0, 0) }

// frame is a reply with documents.
func frame(op uint32, open int64, flag, count int32, documents ...[]byte) []byte {
	b := append([]byte(nil), make([]byte, headerSize)...)
	binary.LittleEndian.PutUint32(b[4:], op|replyBit)
	b = binary.LittleEndian.AppendUint64(b, uint64(open))
	b = binary.LittleEndian.AppendUint32(b, uint32(flag))
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(count))
	for _, d := range documents {
		b = append(b, d...)
		b = append(b, make([]byte, (4-len(b)%4)%4)...)
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return b
}

func info() []byte {
	b := make([]byte, sysInfoSize)
	copy(b, []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFC, 0xFD, 0xFE, 0xFF, 128, 0, 0, 0})
	copy(b[28:], []byte{6, 0, 1})
	return b
}

func dial(t testing.TB, addr string) *Conn {
	t.Helper()
	c, err := Dial(t.Context(), addr, Config{User: "u", Password: secret.NewValue("pw")})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// ask sends a query.
func ask(c *Conn) (*Reply, error) {
	c.Within(time.Now(), time.Second)
	c.Message.Query("cs.cl", QueryReturnData, 0, 1)
	for range 4 {
		c.Message.Empty()
	}
	return c.Call()
}

// The reply of a real server's form is read: its documents, and the error of one.
func TestRepliesAreRead(t *testing.T) {
	addr, got := script(t, info(), authed(), golden(t, "reply"), golden(t, "error"), golden(t, "end"))
	c := dial(t, addr)
	require.Equal(t, Info{Version: "6.0.1"}, c.Info)
	r, err := ask(c)
	require.NoError(t, err)
	require.EqualValues(t, NoContext, r.Context)
	d, ok, err := r.Next()
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []string{`{"_id": "k1", "f": 0x0300000000616263, "n": 258}`}, []string{d.String()})
	d, ok, err = r.Next()
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []string{`{"a": [true, null, {"b": -1.5}]}`}, []string{d.String()})
	_, ok, err = r.Next()
	require.NoError(t, err)
	require.False(t, ok)

	_, err = ask(c)
	require.EqualError(t, err, "SequoiaDB error -23, Collection does not exist (cs.cl)")
	require.NoError(t, c.Err(), "the connection serves on")
	r, err = ask(c)
	require.NoError(t, err, "the end of a context is no error")
	require.EqualValues(t, NoContext, r.Context)
	_, ok, err = r.Next()
	require.NoError(t, err)
	require.False(t, ok, "the document of the error is none of the query")
	require.Equal(t, hex.Dump(golden(t, "auth")), hex.Dump(got()[0]))
}

// A reply that breaks the protocol ends the connection, and never hangs or panics.
func TestBrokenRepliesAreRefused(t *testing.T) {
	long := frame(opQuery, NoContext, 0, 0)
	binary.LittleEndian.PutUint32(long, MostReply+1)
	short := frame(opQuery, NoContext, 0, 0)
	binary.LittleEndian.PutUint32(short, 20)
	for name, test := range map[string]struct {
		answer []byte
		want   string
	}{
		"too long":         {long, "a reply of 134217729 bytes"},
		"too short":        {short, "a reply of 20 bytes"},
		"another's":        {frame(opInsert, NoContext, 0, 0), "a reply of operation 2002 to operation 2004"},
		"more than one":    {append(frame(opQuery, NoContext, 0, 0), 1, 2, 3), "3 bytes after a reply"},
		"closed":           {nil, "EOF"},
		"half, and closed": {frame(opQuery, NoContext, 0, 0)[:30], "no answer from"},
	} {
		t.Run(name, func(t *testing.T) {
			addr, _ := script(t, info(), authed(), test.answer)
			c := dial(t, addr)
			_, err := ask(c)
			require.ErrorContains(t, err, test.want)
			require.Error(t, c.Err())
			_, again := ask(c)
			require.Equal(t, err, again)
		})
	}
	for name, answer := range map[string][]byte{
		"a document is missing":       frame(opQuery, NoContext, 0, 2, []byte{5, 0, 0, 0, 0}),
		"a document has no length":    frame(opQuery, NoContext, 0, 1, []byte{1, 0}),
		"a document is too long":      frame(opQuery, NoContext, 0, 1, []byte{0xFF, 0xFF, 0xFF, 0x7F, 0}),
		"a document does not end":     frame(opQuery, NoContext, 0, 1, []byte{5, 0, 0, 0, 1}),
		"a document ends in a number": frame(opQuery, NoContext, 0, 1, []byte{11, 0, 0, 0, kindInt64, 'a', 0, 1, 2, 3, 0}),
	} {
		t.Run(name, func(t *testing.T) {
			addr, _ := script(t, info(), authed(), answer)
			r, err := ask(dial(t, addr))
			require.NoError(t, err)
			for err == nil {
				var d Document
				var ok bool
				if d, ok, err = r.Next(); err == nil && ok {
					all := d.Elements()
					var e Element
					for all.Next(&e) {
						continue
					}
					err = all.Err()
				}
				require.True(t, ok || err != nil, "the flaw is found")
			}
			require.ErrorIs(t, err, ErrMalformed)
		})
	}
}

// The memory of a reply grows with the bytes that arrive, not with the length that the server claims.
func TestAClaimedLengthAllocatesNothing(t *testing.T) {
	claim := frame(opQuery, NoContext, 0, 0)
	binary.LittleEndian.PutUint32(claim, MostReply)
	addr, _ := script(t, info(), authed(), claim)
	c := dial(t, addr)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c.Within(time.Now(), 100*time.Millisecond)
	_, err := ask(c)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
}

// A port of something else is refused with the cure.
func TestOtherServersAreRefused(t *testing.T) {
	back := info()
	copy(back, []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 0xFD, 0xFC, 0, 0, 0, 128})
	for name, test := range map[string]struct {
		answer []byte
		want   string
		within time.Duration
	}{
		"HTTP":       {[]byte("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n"), "a server of HTTP answered", tolerance.Patience},
		"something":  {bytes.Repeat([]byte("x"), 128), "it answered something else than system information", tolerance.Patience},
		"big-endian": {back, "its numbers are big-endian", tolerance.Patience},
		"silence":    {nil, "no system information within the time limit", 200 * time.Millisecond},
		"a part":     {info()[:40], "no system information within the time limit", 200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			addr, _ := script(t, test.answer)
			ctx, cancel := context.WithTimeout(t.Context(), test.within)
			defer cancel()
			_, err := Dial(ctx, addr, Config{})
			require.ErrorContains(t, err, test.want)
			require.ErrorIs(t, err, ErrNotSequoiaDB)
			require.ErrorContains(t, err, "want the service port of a coordinator, by default 11810")
		})
	}
}

// A server that demands endless hashing, or that does not know the user, is refused.
func TestAServerHasToProveItself(t *testing.T) {
	scram := info()
	scram[16] = 1
	step := func(rounds int32, nonce string) []byte {
		var m Message
		m.Begin()
		m.Int32("Step", 1)
		m.Int32("IterationCount", rounds)
		m.Text("Salt", "c2FsdA==")
		m.Text("Nonce", nonce)
		m.End()
		return m.b
	}
	for name, rounds := range map[string]int32{"endless": 1 << 30, "none": 0, "another nonce": 10} {
		t.Run(name, func(t *testing.T) {
			addr, _ := script(t, scram, frame(opAuthSCRAM, NoContext, 0, 1, step(rounds, strings.Repeat("x", 64))))
			_, err := Dial(t.Context(), addr, Config{User: "u", Password: secret.NewValue("pw")})
			require.ErrorContains(t, err, "the first step of SCRAM-SHA-256 is invalid")
			require.ErrorIs(t, err, ErrMalformed)
		})
	}
	addr, _ := script(t, scram, frame(opAuthSCRAM, NoContext, 0, 0))
	c, err := Dial(t.Context(), addr, Config{})
	require.NoError(t, err, "a server without users")
	require.NoError(t, c.Close())
}

// Over TLS the server's certificate is checked, and a server without TLS is an error with the address.
func TestTLS(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate, which is for 127.0.0.1
	defer web.Close()
	transport, is := web.Client().Transport.(*http.Transport)
	require.True(t, is)
	var config net.ListenConfig
	plain, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := tls.NewListener(plain, &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12})
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.ReadFull(conn, make([]byte, 12))
			_, _ = conn.Write(info())
			_, _ = conn.Read(make([]byte, 1000))
			_, _ = conn.Write(authed())
			_, _ = conn.Read(make([]byte, 1000))
			_, _ = conn.Write(golden(t, "reply"))
			_, _ = conn.Read(make([]byte, 1000))
			_ = conn.Close()
		}
	})
	defer work.Wait()
	defer func() { require.NoError(t, l.Close()) }()
	trusting := &tls.Config{RootCAs: transport.TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	c, err := Dial(t.Context(), l.Addr().String(), Config{TLS: trusting})
	require.NoError(t, err)
	r, err := ask(c)
	require.NoError(t, err)
	_, ok, err := r.Next()
	require.NoError(t, err)
	require.True(t, ok)
	require.NoError(t, c.Close())

	_, err = Dial(t.Context(), l.Addr().String(), Config{TLS: &tls.Config{MinVersion: tls.VersionTLS12}})
	require.ErrorContains(t, err, "negotiate TLS with "+l.Addr().String())
	addr, _ := script(t, info())
	_, err = Dial(t.Context(), addr, Config{TLS: trusting})
	require.ErrorContains(t, err, "negotiate TLS with "+addr)
}

func TestCallsCanBeInterrupted(t *testing.T) {
	addr, _ := script(t, info(), authed())
	c := dial(t, addr)
	var work sync.WaitGroup
	work.Go(func() {
		<-time.After(50 * time.Millisecond)
		c.Interrupt()
	})
	_, err := ask(c)
	require.ErrorIs(t, err, context.Canceled)
	work.Wait()
	_, err = ask(c)
	require.ErrorIs(t, err, context.Canceled)
}

func TestLargeRepliesGiveTheirMemoryBack(t *testing.T) {
	var m Message
	m.Begin()
	m.Binary([]byte("f"), bytes.Repeat([]byte("x"), 3<<20))
	m.End()
	small := frame(opQuery, NoContext, 0, 0)
	addr, _ := script(t, info(), authed(), frame(opQuery, NoContext, 0, 1, m.b), small)
	c := dial(t, addr)
	r, err := ask(c)
	require.NoError(t, err)
	d, _, err := r.Next()
	require.NoError(t, err)
	require.Len(t, d, len(m.b)-(len(m.b)-int(binary.LittleEndian.Uint32(m.b))))
	_, err = ask(c)
	require.NoError(t, err)
	require.Len(t, c.in, readBuffer)
}

func TestTextsOfServersArePrintable(t *testing.T) {
	var m Message
	m.Begin()
	m.Text("description", "a\x1b[31mred\nline"+strings.Repeat("y", 1000))
	m.End()
	r := Reply{Flag: -6, documents: m.b, left: 1}
	err := r.failure()
	require.NotContains(t, err.Error(), "\x1b")
	require.Less(t, len(err.Error()), 400)
	var e *Error
	require.ErrorAs(t, err, &e)
	require.EqualValues(t, -6, e.Code)
}

// FuzzDocument reads any bytes as a document: every access is within them.
func FuzzDocument(f *testing.F) {
	for _, name := range []string{"insert", "query", "update", "command", "reply", "error"} {
		frame := golden(f, name)
		for at := headerSize; at < len(frame); at += 4 {
			if d, err := documentOf(frame[at:]); err == nil {
				f.Add([]byte(d))
			}
		}
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		d, err := documentOf(b)
		if err != nil {
			return
		}
		walk(d, 0)
		_ = d.String()
		_, _ = d.Lookup("a", "b")
	})
}

func walk(d Document, depth int) {
	all := d.Elements()
	var e Element
	for all.Next(&e) {
		_, _ = e.Bytes()
		_, _ = e.Number()
		_, _ = e.Int()
		_, _ = e.Bool()
		if inner, is := e.Document(); is && depth < 50 {
			walk(inner, depth+1)
		}
	}
}

// FuzzReply reads any bytes as a reply.
func FuzzReply(f *testing.F) {
	for _, name := range []string{"reply", "error", "end"} {
		f.Add(golden(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Reply
		if r.parse(b, opQuery) != nil {
			return
		}
		if r.Flag != 0 {
			require.Error(t, r.failure())
		}
		for n := 0; ; n++ {
			d, ok, err := r.Next()
			if !ok || err != nil {
				return
			}
			require.LessOrEqual(t, n, len(b)/5, "each document has bytes of its own")
			walk(d, 0)
		}
	})
}

// FuzzInfo reads any bytes as system information.
func FuzzInfo(f *testing.F) {
	f.Add(info())
	f.Fuzz(func(_ *testing.T, b []byte) {
		if len(b) >= sysInfoSize && checkInfo(b) == nil {
			_ = parseInfo(b)
		}
	})
}
