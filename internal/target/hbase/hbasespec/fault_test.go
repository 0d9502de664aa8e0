package hbasespec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServersOfAFaultAreNumbersAddressesAndNames(t *testing.T) {
	require.Equal(t, []string{"2", "127.0.0.1:16020", "rs1,16020,1700", "3"}, serversIn("2,127.0.0.1:16020,rs1,16020,1700,3"))
}
