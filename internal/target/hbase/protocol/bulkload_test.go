package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnswersToBulkLoads(t *testing.T) {
	for _, test := range []struct {
		response string
		loaded   bool
		token    string
		err      error // of the token
	}{
		{"", false, "", ErrMalformed},
		{"\x08\x00", false, "", ErrMalformed},
		{"\x08\x01", true, "", ErrMalformed},
		{"\x10\x01\x08\x01", true, "", ErrMalformed}, // a field that is not known
		{"\x0a\x02/x", false, "/x", nil},
	} {
		loaded, err := Loaded([]byte(test.response))
		require.NoError(t, err, "%q", test.response)
		require.Equal(t, test.loaded, loaded, "%q", test.response)
		token, err := BulkToken([]byte(test.response))
		require.ErrorIs(t, err, test.err, "%q", test.response)
		require.Equal(t, test.token, string(token), "%q", test.response)
	}
	for _, broken := range []string{"\x08", "\x0a\x05/x", "\xff"} {
		_, err := Loaded([]byte(broken))
		require.ErrorIs(t, err, ErrMalformed, "%q", broken)
		_, err = BulkToken([]byte(broken))
		require.ErrorIs(t, err, ErrMalformed, "%q", broken)
	}
}
