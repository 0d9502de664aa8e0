package route_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/wire/route"
)

func TestAddressesAreSeparatedByCommas(t *testing.T) {
	for list, want := range map[string][]string{
		"a:7070": {"a:7070"}, "a:7070,b:7070": {"a:7070", "b:7070"}, "a:1, b:1": {"a:1", "b:1"}, "unix:/run/a,b": {"unix:/run/a,b"},
	} {
		got, err := route.Parse(list)
		require.NoError(t, err, list)
		require.Equal(t, want, got)
	}
	for list, want := range map[string]string{
		"a:1,": "an address is empty", "a:1,,b:1": "an address is empty", "a:1,a:1": "a:1 is given twice", "a:1,unix:/x": "a unix socket",
		"1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1,11:1,12:1,13:1,14:1,15:1,16:1,17:1": "more than 16",
	} {
		_, err := route.Parse(list)
		require.ErrorContains(t, err, want, list)
	}
}

var errGone = errors.New("gone")

func standbyOf(leader string) error { return &wire.StandbyError{Leader: leader} }

// visits returns the addresses of a route's rounds, and / where a round is over.
func visits(r *route.Route, errs ...error) string {
	words := []string{r.Address()}
	for _, err := range errs {
		if r.Next(err) {
			words = append(words, "/")
		}
		words = append(words, r.Address())
	}
	return strings.Join(words, " ")
}

func TestTheLeaderThatAStandbyNamesIsNext(t *testing.T) {
	for name, test := range map[string]struct {
		addresses []string
		errs      []error
		want      string
	}{
		"one address":                        {[]string{"a"}, []error{errGone, errGone}, "a / a / a"},
		"one address of a standby":           {[]string{"a"}, []error{standbyOf("x"), errGone}, "a x / a"},
		"in order":                           {[]string{"a", "b", "c"}, []error{errGone, errGone, errGone}, "a b c / a"},
		"a standby names the last":           {[]string{"a", "b", "c"}, []error{standbyOf("c"), errGone, errGone}, "a c b / c"},
		"a standby names the one that died":  {[]string{"a", "b"}, []error{errGone, standbyOf("a"), errGone}, "a b / a b"},
		"a standby knows no leader":          {[]string{"a", "b"}, []error{standbyOf(""), standbyOf("")}, "a b / a"},
		"a leader that is not in the list":   {[]string{"a", "b"}, []error{standbyOf("x"), errGone, standbyOf("x"), errGone}, "a x b / a b"},
		"standbys that name ever more names": {[]string{"a"}, []error{standbyOf("1"), standbyOf("2"), standbyOf("3"), standbyOf("4"), standbyOf("5")}, "a 1 2 3 4 / a"},
	} {
		require.Equal(t, test.want, visits(route.New(test.addresses), test.errs...), name)
	}
}

func TestAfterTheLossOfALeaderTheOthersAreNext(t *testing.T) {
	r := route.New([]string{"a", "b", "c"})
	r.Next(errGone)
	r.Arrived()
	require.Equal(t, "b c a / b", visits(r, errGone, errGone, standbyOf("b")))
	r = route.New([]string{"a", "b"}).From("x")
	r.Arrived()
	require.Equal(t, "x b a / b", visits(r, errGone, standbyOf("x"), standbyOf("x")), "x was not in the list")
}
