package kerberos

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// session is a login: the ticket by which the realm's servers know the client, and the library's client that has it. It is made like
// that of a credential cache, also after a login by a keytab: then the library does not renew it by a goroutine of its own, which would
// ask for a new ticket at the same time as others, and never again after the KDC was away for long.
type session struct {
	krb            *client.Client
	written        time.Time // when the credential cache was written
	begins, ends   time.Time
	renewableUntil time.Time
	ticket         messages.Ticket
	key            types.EncryptionKey
}

// newSession makes a session of a cache with a ticket of the realm.
func newSession(cache *credentials.CCache, conf *config.Config) (*session, error) {
	own, ok := cache.GetEntry(ticketService(cache.GetClientRealm()))
	if !ok {
		return nil, errors.New("it is not in the file")
	}
	s := &session{begins: own.StartTime, ends: own.EndTime, renewableUntil: own.RenewTill, key: own.Key}
	if s.begins.Unix() <= 0 {
		s.begins = own.AuthTime
	}
	// The library takes this time for the begin of the ticket, and would renew one that was renewed before for each request.
	own.AuthTime = s.begins
	if err := s.ticket.Unmarshal(own.Ticket); err != nil {
		return nil, fmt.Errorf("it is malformed: %w", err)
	}
	krb, err := client.NewFromCCache(cache, conf)
	if err != nil {
		return nil, fmt.Errorf("use it: %w", err)
	}
	s.krb = krb
	return s, nil
}

// ticketService is the service that issues a realm's tickets.
func ticketService(realm string) types.PrincipalName {
	return types.PrincipalName{NameType: nametype.KRB_NT_SRV_INST, NameString: []string{"krbtgt", realm}}
}

// old reports whether a newer ticket is due.
func (s *session) old(now time.Time) bool { return s.ends.Sub(now) <= s.ends.Sub(s.begins)/6 }

// replace makes a session the current one. The caller has the turn.
func (c *Client) replace(s *session) {
	if c.session != nil && c.session != s {
		c.session.krb.Destroy()
	}
	c.session = s
}

// current returns the session to ask. It is a newer one if that is due; while there is none, the old one serves until it ends. The caller
// has the turn.
func (c *Client) current() (*session, error) {
	c.mu.Lock()
	closed, forget := c.closed, c.forget
	c.forget = false
	c.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	if forget {
		c.replace(nil)
	}
	if c.config.Cache != "" {
		if err := c.readAgain(); err != nil {
			return nil, err
		}
	}
	now := time.Now()
	s := c.session
	if s != nil && now.Before(s.ends) && (!s.old(now) || now.Sub(c.tried) < s.ends.Sub(s.begins)/30) {
		return s, nil
	}
	c.tried = now
	next, err := c.newer(s, now)
	switch {
	case err == nil:
		c.replace(next)
		return next, nil
	case s != nil && now.Before(s.ends):
		return s, nil
	}
	return nil, err
}

// newer logs in by the keytab, or renews the ticket of a cache. It returns the same session if that cannot be renewed.
func (c *Client) newer(s *session, now time.Time) (*session, error) {
	switch {
	case c.config.Cache == "":
		return c.logIn()
	case !now.Before(s.ends):
		return nil, c.expired(nil)
	case !now.Before(s.renewableUntil):
		return s, nil
	}
	_, renewed, err := s.krb.TGSREQGenerateAndExchange(ticketService(c.realm), c.realm, s.ticket, s.key, true)
	if err != nil {
		return nil, err //nolint:wrapcheck // explain takes it
	}
	next, err := c.sessionOf(renewed.KDCRepFields)
	if err == nil {
		next.written = s.written
	}
	return next, err
}

// logIn logs in by the keytab, which may have been replaced.
func (c *Client) logIn() (*session, error) {
	keys, err := keytab.Load(c.config.Keytab)
	if err != nil {
		return nil, problem(err, "read the keytab %s: %v", c.config.Keytab, err)
	}
	krb := client.NewWithKeytab(c.name, c.realm, keys, c.conf, client.DisablePAFXFAST(true))
	request, err := messages.NewASReqForTGT(c.realm, c.conf, krb.Credentials.CName())
	if err != nil {
		return nil, fmt.Errorf("log in: %w", err)
	}
	reply, err := krb.ASExchange(c.realm, request, 0)
	if err != nil {
		return nil, err //nolint:wrapcheck // explain takes it
	}
	return c.sessionOf(reply.KDCRepFields)
}

// sessionOf makes a session of a ticket of the realm's servers.
func (c *Client) sessionOf(reply messages.KDCRepFields) (*session, error) {
	ticket, err := reply.Ticket.Marshal()
	if err != nil {
		return nil, fmt.Errorf("keep a ticket: %w", err)
	}
	got := reply.DecryptedEncPart
	begins := got.StartTime
	if begins.IsZero() {
		begins = got.AuthTime
	}
	own := &credentials.Credential{Key: got.Key, AuthTime: begins, StartTime: begins, EndTime: got.EndTime, RenewTill: got.RenewTill, Ticket: ticket}
	own.Server.Realm, own.Server.PrincipalName = c.realm, ticketService(c.realm)
	cache := &credentials.CCache{Version: 4, Credentials: []*credentials.Credential{own}}
	cache.DefaultPrincipal.Realm, cache.DefaultPrincipal.PrincipalName = c.realm, types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, c.name)
	return newSession(cache, c.conf)
}

// readCache reads the credential cache.
func (c *Client) readCache() (*session, error) {
	info, err := os.Stat(c.config.Cache)
	if err != nil {
		return nil, problem(err, "read the credential cache: %v; run kinit", err)
	}
	cache, err := loadCache(c.config.Cache)
	if err != nil {
		return nil, problem(err, "read the credential cache %s: %v; run kinit -c FILE:%[1]s", c.config.Cache, err)
	}
	name, realm := cache.GetClientPrincipalName().PrincipalNameString(), cache.GetClientRealm()
	if c.name != "" && (name != c.name || realm != c.realm) {
		return nil, problem(nil, "the credential cache %s is for %s@%s, not for %s: correct --kerberos-principal, or run kinit", c.config.Cache, name, realm, c.principal())
	}
	if c.name == "" {
		c.name, c.realm = name, realm
	}
	s, err := newSession(cache, c.conf)
	if err != nil {
		return nil, problem(err, "the credential cache %s has no ticket of the realm %s: run kinit (%v)", c.config.Cache, realm, err)
	}
	s.written = info.ModTime()
	return s, nil
}

// readAgain reads the credential cache again if it has been written. While kinit writes it, the tickets that are known serve.
func (c *Client) readAgain() error {
	info, err := os.Stat(c.config.Cache)
	if err != nil || info.ModTime().Equal(c.session.written) {
		return nil //nolint:nilerr // the session serves without the file
	}
	s, err := c.readCache()
	if err != nil {
		if time.Now().Before(c.session.ends) {
			return nil
		}
		return err
	}
	c.replace(s)
	return nil
}

// loadCache is the library's reader, which panics when a file is truncated.
func loadCache(path string) (cache *credentials.CCache, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it is not a credential cache of version 4")
		}
	}()
	return credentials.LoadCCache(path)
}
