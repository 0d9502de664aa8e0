package kerberos

import (
	"testing"
	"time"

	"github.com/jcmturner/gofork/encoding/asn1"
	"github.com/jcmturner/gokrb5/v8/asn1tools"
	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/iana/asnAppTag"
	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/iana/flags"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
	"github.com/stretchr/testify/require"
)

const (
	testRealm   = "EXAMPLE.COM"
	testService = "hbase/host"
)

// newKeytab has a key of a principal.
func newKeytab(tb testing.TB, name string, kind int32) *keytab.Keytab {
	tb.Helper()
	k := keytab.New()
	require.NoError(tb, k.AddEntry(name, testRealm, "password", time.Now(), 1, kind))
	return k
}

// began is a context that a client has begun, and what the service learns of its token.
type began struct {
	client        *Context
	session       types.EncryptionKey
	authenticator types.Authenticator
	request       messages.APReq
}

func begin(tb testing.TB, kind int32) began {
	tb.Helper()
	keys := newKeytab(tb, testService, kind)
	name := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, "anna")
	service := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, testService)
	now := time.Now().UTC()
	ticket, session, err := messages.NewTicket(name, testRealm, service, testRealm, types.NewKrbFlags(), keys, kind, 1, now, now, now.Add(time.Hour), now)
	require.NoError(tb, err)
	client, token, err := request(name, testRealm, testService, ticket, session)
	require.NoError(tb, err)
	which, body, err := unframe(token)
	require.NoError(tb, err)
	require.Equal(tb, uint16(tokenRequest), which)
	var asked messages.APReq
	require.NoError(tb, asked.Unmarshal(body))
	require.NoError(tb, asked.Ticket.DecryptEncPart(keys, &service))
	require.NoError(tb, asked.DecryptAuthenticator(asked.Ticket.DecryptedEncPart.Key))
	return began{client, session, asked.Authenticator, asked}
}

// reply is the service's answer.
func (b began) reply(tb testing.TB, change func(*messages.EncAPRepPart)) []byte {
	tb.Helper()
	part := messages.EncAPRepPart{CTime: b.authenticator.CTime, Cusec: b.authenticator.Cusec, SequenceNumber: 77}
	change(&part)
	plain, err := asn1.Marshal(part)
	require.NoError(tb, err)
	sealed, err := crypto.GetEncryptedData(asn1tools.AddASNAppTag(plain, asnAppTag.EncAPRepPart), b.session, keyusage.AP_REP_ENCPART, 0)
	require.NoError(tb, err)
	body, err := asn1.Marshal(messages.APRep{PVNO: 5, MsgType: 15, EncPart: sealed})
	require.NoError(tb, err)
	return frame(tokenReply, asn1tools.AddASNAppTag(body, asnAppTag.APREP))
}

func TestAContextBeginsWithBothSidesKnown(t *testing.T) {
	for _, kind := range []int32{etypeID.AES256_CTS_HMAC_SHA1_96, etypeID.AES128_CTS_HMAC_SHA1_96, etypeID.AES128_CTS_HMAC_SHA256_128} {
		b := begin(t, kind)
		require.True(t, types.IsFlagSet(&b.request.APOptions, flags.APOptionMutualRequired))
		require.Equal(t, "anna", b.authenticator.CName.PrincipalNameString())
		require.Equal(t, int32(0x8003), b.authenticator.Cksum.CksumType)
		require.Len(t, b.authenticator.SubKey.KeyValue, len(b.session.KeyValue))
		require.NoError(t, b.client.Accept(b.reply(t, func(*messages.EncAPRepPart) {})))

		_, out, in := pair(t, b.authenticator.SubKey)
		out.sequence, in.sequence = 77, uint64(b.authenticator.SeqNumber)
		got, _, err := in.Open(b.client.Out.Seal(nil, []byte("asked")))
		require.NoError(t, err)
		require.Equal(t, "asked", string(got))
		got, _, err = b.client.In.Open(out.Seal(nil, []byte("answered")))
		require.NoError(t, err)
		require.Equal(t, "answered", string(got))
	}
}

func TestAContextTakesTheKeyOfTheService(t *testing.T) {
	b := begin(t, etypeID.AES256_CTS_HMAC_SHA1_96)
	own := newKey(etypeID.AES128_CTS_HMAC_SHA1_96)
	require.NoError(t, b.client.Accept(b.reply(t, func(p *messages.EncAPRepPart) { p.Subkey = own })))
	_, out, _ := pair(t, own)
	out.sequence, out.flags = 77, flagService|flagSubkey
	got, _, err := b.client.In.Open(out.Seal(nil, []byte("answered")))
	require.NoError(t, err)
	require.Equal(t, "answered", string(got))
}

func TestAnswersOfAnotherServiceAreRefused(t *testing.T) {
	b := begin(t, etypeID.AES256_CTS_HMAC_SHA1_96)
	require.ErrorContains(t, b.client.Accept(b.reply(t, func(p *messages.EncAPRepPart) { p.Cusec++ })), "another request")
	require.ErrorContains(t, b.client.Accept(b.reply(t, func(p *messages.EncAPRepPart) { p.CTime = p.CTime.Add(time.Second) })), "another request")
	require.ErrorContains(t, b.client.Accept(b.reply(t, func(p *messages.EncAPRepPart) {
		p.Subkey = types.EncryptionKey{KeyType: 23, KeyValue: make([]byte, 16)}
	})), "only AES")
	other := begin(t, etypeID.AES256_CTS_HMAC_SHA1_96)
	require.ErrorContains(t, b.client.Accept(other.reply(t, func(*messages.EncAPRepPart) {})), "not of the service")

	token := b.reply(t, func(*messages.EncAPRepPart) {})
	for n := range token {
		require.Error(t, b.client.Accept(token[:n]))
	}
	refusal := messages.NewKRBError(types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, testService), testRealm, errorcode.KRB_AP_ERR_SKEW, "")
	body, err := refusal.Marshal()
	require.NoError(t, err)
	require.ErrorContains(t, b.client.Accept(frame(tokenError, body)), "refuses the ticket")
}

func TestTicketsWithoutAESAreRefused(t *testing.T) {
	_, _, err := request(types.PrincipalName{}, testRealm, testService, messages.Ticket{}, types.EncryptionKey{KeyType: etypeID.RC4_HMAC, KeyValue: make([]byte, 16)})
	require.ErrorContains(t, err, "only AES is supported")
}
