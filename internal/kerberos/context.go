package kerberos

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/iana/flags"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// Context is a security context with a service. Out and In may be used by two goroutines.
type Context struct {
	Out Sealer   // for what is sent
	In  Unsealer // for what is received

	session, subkey types.EncryptionKey
	sent            time.Time
	cusec           int
	sequence        uint64 // of the first message that is sent
}

// object is the object identifier of Kerberos in tokens.
const object = "\x06\x09\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"

// The kinds of tokens of the handshake.
const (
	tokenRequest = 0x0100
	tokenReply   = 0x0200
	tokenError   = 0x0300
)

// Initiate begins a context with a service, such as hbase/host. The token is for the service, whose answer is for Accept.
func (c *Client) Initiate(ctx context.Context, service string) (one *Context, token []byte, err error) {
	type have struct {
		name   types.PrincipalName
		realm  string
		ticket messages.Ticket
		key    types.EncryptionKey
	}
	got := make(chan have, 1)
	err = c.use(ctx, service, func(krb *client.Client, ticket messages.Ticket, key types.EncryptionKey) error {
		got <- have{krb.Credentials.CName(), krb.Credentials.Domain(), ticket, key}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	h := <-got
	return request(h.name, h.realm, service, h.ticket, h.key)
}

// request makes the token of a client with a ticket and its key.
func request(name types.PrincipalName, realm, service string, ticket messages.Ticket, key types.EncryptionKey) (*Context, []byte, error) {
	if _, ok := kindOf(key.KeyType); !ok {
		return nil, nil, problem(nil, "the ticket for %s has a key of kind %d: only AES is supported; create an AES key of the service", service, key.KeyType)
	}
	authenticator, err := types.NewAuthenticator(realm, name)
	if err != nil {
		return nil, nil, fmt.Errorf("prepare a token for %s: %w", service, err)
	}
	// The library would size the key by the kind, wrongly for one of them.
	authenticator.SubKey = types.EncryptionKey{KeyType: key.KeyType, KeyValue: make([]byte, len(key.KeyValue))}
	_, _ = rand.Read(authenticator.SubKey.KeyValue)
	authenticator.Cksum = types.Checksum{CksumType: 0x8003, Checksum: wishes()}
	request, err := messages.NewAPReq(ticket, key, authenticator)
	if err != nil {
		return nil, nil, fmt.Errorf("prepare a token for %s: %w", service, err)
	}
	types.SetFlag(&request.APOptions, flags.APOptionMutualRequired)
	body, err := request.Marshal()
	if err != nil {
		return nil, nil, fmt.Errorf("prepare a token for %s: %w", service, err)
	}
	return &Context{
		session: key, subkey: authenticator.SubKey, sent: authenticator.CTime, cusec: authenticator.Cusec, sequence: uint64(authenticator.SeqNumber),
	}, frame(tokenRequest, body), nil
}

// wishes are what the client asks for, as RFC 4121 puts it into a checksum.
func wishes() []byte {
	const mutual, replay, sequence, confidentiality, integrity = 2, 4, 8, 16, 32
	b := make([]byte, 24)
	binary.LittleEndian.PutUint32(b, 16)
	binary.LittleEndian.PutUint32(b[20:], mutual|replay|sequence|confidentiality|integrity)
	return b
}

// frame makes a token of the handshake.
func frame(kind uint16, body []byte) []byte {
	inner := binary.BigEndian.AppendUint16([]byte(object), kind)
	inner = append(inner, body...)
	token := []byte{0x60}
	switch n := len(inner); {
	case n < 0x80:
		token = append(token, byte(n))
	case n < 0x100:
		token = append(token, 0x81, byte(n))
	case n < 0x10000:
		token = append(token, 0x82, byte(n>>8), byte(n))
	default:
		token = append(token, 0x83, byte(n>>16), byte(n>>8), byte(n))
	}
	return append(token, inner...)
}

var errToken = errors.New("malformed token of Kerberos")

// unframe returns the kind and the body of a token of the handshake.
func unframe(token []byte) (kind uint16, body []byte, err error) {
	if len(token) < 2 || token[0] != 0x60 {
		return 0, nil, errToken
	}
	skip := 2
	if token[1] >= 0x80 {
		skip += int(token[1] & 0x7f)
	}
	if skip > len(token) {
		return 0, nil, errToken
	}
	rest, ok := bytes.CutPrefix(token[skip:], []byte(object))
	if !ok || len(rest) < 2 {
		return 0, nil, errToken
	}
	return binary.BigEndian.Uint16(rest), rest[2:], nil
}

// Accept verifies the service's answer: only the service can have read the client's token. Then the context can be used.
func (x *Context) Accept(token []byte) error {
	kind, body, err := unframe(token)
	if err != nil {
		return err
	}
	switch kind {
	case tokenError:
		var refusal messages.KRBError
		if err := refusal.Unmarshal(body); err != nil {
			return errToken
		}
		return problem(refusal, "the service refuses the ticket: %v (its clock is %s)", refusal, refusal.STime.UTC().Format(time.RFC3339))
	case tokenReply:
	default:
		return errToken
	}
	var reply messages.APRep
	if err := reply.Unmarshal(body); err != nil {
		return errToken
	}
	plain, err := crypto.DecryptEncPart(reply.EncPart, x.session, keyusage.AP_REP_ENCPART)
	if err != nil {
		return fmt.Errorf("the service's answer is not of the service that the ticket is for: %w", err)
	}
	var part messages.EncAPRepPart
	if err := part.Unmarshal(plain); err != nil {
		return errToken
	}
	if part.CTime.Unix() != x.sent.Unix() || part.Cusec != x.cusec {
		return errors.New("the service has answered another request")
	}
	key, byService := x.subkey, len(part.Subkey.KeyValue) > 0
	if byService {
		key = part.Subkey
	}
	if _, ok := kindOf(key.KeyType); !ok {
		return problem(nil, "the service has chosen a key of kind %d: only AES is supported", key.KeyType)
	}
	return x.begin(key, byService, uint64(part.SequenceNumber))
}

// begin makes the context's keys.
func (x *Context) begin(key types.EncryptionKey, byService bool, first uint64) error {
	const byInitiator, byAcceptor = keyusage.GSSAPI_INITIATOR_SEAL, keyusage.GSSAPI_ACCEPTOR_SEAL
	out, err := newHalf(key, byInitiator)
	if err != nil {
		return err
	}
	in, err := newHalf(key, byAcceptor)
	if err != nil {
		return err
	}
	var chosen byte
	if byService {
		chosen = flagSubkey
	}
	x.Out = Sealer{half: out, sequence: x.sequence, flags: chosen}
	x.In = Unsealer{half: in, sequence: first, flags: chosen | flagService}
	return nil
}
