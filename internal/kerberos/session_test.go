package kerberos

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// age makes the session of a client one that began and ends at other times.
func age(c *Client, begins, ends time.Duration) {
	c.turn <- struct{}{}
	now := time.Now()
	c.session.begins, c.session.ends, c.tried = now.Add(begins), now.Add(ends), time.Time{}
	<-c.turn
}

func TestManyWorkersShareALoginAndATicket(t *testing.T) {
	k := startKDC(t)
	c := newClient(t, k.address)
	var work sync.WaitGroup
	for range 32 {
		work.Go(func() {
			if _, _, err := c.Initiate(t.Context(), testService); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	require.EqualValues(t, 1, k.logins.Load())
	require.EqualValues(t, 1, k.issued.Load())
}

func TestALoginIsReplacedBeforeItEnds(t *testing.T) {
	k := startKDC(t)
	c := newClient(t, k.address)
	require.NoError(t, c.Check(t.Context(), testService))
	age(c, -49*time.Minute, 11*time.Minute)
	require.NoError(t, c.Check(t.Context(), testService))
	require.EqualValues(t, 1, k.logins.Load())
	age(c, -51*time.Minute, 9*time.Minute)
	require.NoError(t, c.Check(t.Context(), testService))
	require.EqualValues(t, 2, k.logins.Load())
	require.EqualValues(t, 2, k.issued.Load())
	require.Zero(t, k.renewed.Load(), "a keytab logs in again")
}

// Workers that connect while the tickets are replaced, or forgotten, get one or the other.
func TestTicketsAreReplacedUnderLoad(t *testing.T) {
	k := startKDC(t)
	c := newClient(t, k.address)
	require.NoError(t, c.Check(t.Context(), testService))
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 50 {
				if _, _, err := c.Initiate(t.Context(), testService); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 10 {
		c.mu.Lock()
		c.fresh = time.Time{}
		c.mu.Unlock()
		require.True(t, c.Refresh())
		require.NoError(t, c.Check(t.Context(), testService))
		age(c, -51*time.Minute, 9*time.Minute)
	}
	work.Wait()
	require.GreaterOrEqual(t, k.logins.Load(), int32(11))
}

// While the KDC is away, the tickets that are known serve; after their end the client logs in as soon as it is back.
func TestAnAbsentKDCIsSurvived(t *testing.T) {
	k := startKDC(t)
	c := newClient(t, k.address)
	require.NoError(t, c.Check(t.Context(), testService))
	known := c.conf.Realms[0].KDC
	away := func(kdcs []string) {
		c.turn <- struct{}{}
		c.conf.Realms[0].KDC = kdcs
		<-c.turn
	}
	away([]string{"127.0.0.1:1"})
	age(c, -51*time.Minute, 9*time.Minute)
	require.NoError(t, c.Check(t.Context(), testService))
	age(c, -2*time.Hour, -time.Hour)
	require.ErrorContains(t, c.Check(t.Context(), testService), "no KDC of the realm EXAMPLE.COM answers")
	away(known)
	require.NoError(t, c.Check(t.Context(), testService))
	require.EqualValues(t, 2, k.logins.Load())
}

func TestRefusalsOfTheKDCNameTheCure(t *testing.T) {
	k := startKDC(t)
	c := newClient(t, k.address)
	require.ErrorContains(t, c.Check(t.Context(), "hbase/other"), "does not know the principal hbase/other of the service: correct")

	wrong := newKeytab(t, "anna", testKind)
	wrong.Entries[0].Key.KeyValue[0] ^= 1
	c, err := New(Config{Keytab: writeKeytab(t, wrong), Principal: "anna", Realm: testRealm, KDCs: []string{k.address}})
	require.NoError(t, err)
	defer c.Close()
	require.ErrorContains(t, c.Check(t.Context(), testService), "has no valid key of anna@EXAMPLE.COM: get a new keytab")

	stranger, err := New(Config{Keytab: writeKeytab(t, newKeytab(t, "bob", testKind)), Principal: "bob", Realm: testRealm, KDCs: []string{k.address}})
	require.NoError(t, err)
	defer stranger.Close()
	require.ErrorContains(t, stranger.Check(t.Context(), testService), "does not know the principal bob@EXAMPLE.COM: correct")
}

func TestADifferenceOfClocksIsNamed(t *testing.T) {
	for offset, want := range map[time.Duration]string{10 * time.Minute: " behind of the KDC's", -10 * time.Minute: " ahead of the KDC's"} {
		k := startKDC(t)
		k.offset = offset
		err := newClient(t, k.address).Check(t.Context(), testService)
		require.ErrorContains(t, err, "set them by NTP; this machine's clock is ")
		require.ErrorContains(t, err, want)
		require.Regexp(t, `, (10m[01]s|9m59s) (behind|ahead) of`, err.Error())
	}
}

func newCached(t *testing.T, k *kdc, path string) *Client {
	t.Helper()
	c, err := New(Config{Cache: path, Realm: testRealm, KDCs: []string{k.address}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestTheTicketOfACacheIsRenewed(t *testing.T) {
	k := startKDC(t)
	path := filepath.Join(t.TempDir(), "cache")
	k.writeCache(path, time.Now(), time.Hour, 24*time.Hour)
	c := newCached(t, k, path)
	require.NoError(t, c.Check(t.Context(), testService))
	require.Zero(t, k.renewed.Load())
	age(c, -51*time.Minute, 9*time.Minute)
	require.NoError(t, c.Check(t.Context(), testService))
	require.NoError(t, c.Check(t.Context(), testService))
	require.EqualValues(t, 1, k.renewed.Load())
	require.EqualValues(t, 2, k.issued.Load())
	require.Zero(t, k.logins.Load())
}

func TestACacheIsReadAgain(t *testing.T) {
	k := startKDC(t)
	path := filepath.Join(t.TempDir(), "cache")
	k.writeCache(path, time.Now(), time.Hour, 0)
	c := newCached(t, k, path)
	require.NoError(t, c.Check(t.Context(), testService))

	later := time.Now().Add(time.Minute)
	require.NoError(t, os.WriteFile(path, []byte{5, 4}, 0o600)) // as kinit begins
	require.NoError(t, os.Chtimes(path, later, later))
	require.NoError(t, c.Check(t.Context(), testService), "the known tickets serve")

	age(c, -time.Hour, -time.Second)
	require.ErrorContains(t, c.Check(t.Context(), testService), "run kinit")
	k.writeCache(path, time.Now(), time.Hour, 0)
	require.NoError(t, os.Chtimes(path, later.Add(time.Minute), later.Add(time.Minute)))
	require.NoError(t, c.Check(t.Context(), testService))
}

func TestAnExpiredTicketNeedsKinit(t *testing.T) {
	k := startKDC(t)
	path := filepath.Join(t.TempDir(), "cache")
	k.writeCache(path, time.Now().Add(-2*time.Hour), time.Hour, 0)
	c := newCached(t, k, path)
	require.ErrorContains(t, c.Check(t.Context(), testService), "has expired: run kinit for anna@EXAMPLE.COM")
	k.writeCache(path, time.Now().Add(-2*time.Hour), time.Hour, 24*time.Hour)
	require.NoError(t, os.Chtimes(path, time.Now().Add(time.Minute), time.Now().Add(time.Minute)))
	require.ErrorContains(t, c.Check(t.Context(), testService), "has expired: run kinit", "a ticket that has ended cannot be renewed")
}

// A ticket that cannot be renewed serves until its end.
func TestATicketServesToItsEnd(t *testing.T) {
	k := startKDC(t)
	path := filepath.Join(t.TempDir(), "cache")
	k.writeCache(path, time.Now().Add(-55*time.Minute), time.Hour, 0)
	c := newCached(t, k, path)
	require.NoError(t, c.Check(t.Context(), testService))
	require.Zero(t, k.renewed.Load())
}

func TestAClosedClientGivesNoTickets(t *testing.T) {
	k := startKDC(t)
	c := newClient(t, k.address)
	require.NoError(t, c.Check(t.Context(), testService))
	c.Close()
	require.ErrorIs(t, c.Check(t.Context(), testService), errClosed)
}
