package keyspace

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first lines were printed by YCSB itself.
func TestNamesAreThoseOfYCSB(t *testing.T) {
	for _, test := range []struct {
		number  int64
		padding int
		ordered bool
		want    string
	}{
		{number: 0, want: "user6284781860667377211"},
		{number: 1, want: "user8517097267634966620"},
		{number: 2, want: "user1820151046732198393"},
		{number: 3, want: "user4052466453699787802"},
		{number: 10, want: "user2408371864701034737"},
		{number: 999, want: "user2071219101098386137"},
		{number: 1000000, want: "user1011632231655643464"},
		{number: 2147483647, want: "user627943977067101855"},
		{number: 10000000000, want: "user1201321332300452516"},
		{number: -1, want: "user8289690350564177859"},
		{number: 2147483647, padding: 20, want: "user00627943977067101855"},
		{number: 0, padding: 30, want: "user000000000006284781860667377211"},
		{number: 0, ordered: true, want: "user0"},
		{number: 7, padding: 1, ordered: true, want: "user7"},
		{number: 7, padding: 8, ordered: true, want: "user00000007"},
		{number: 99999999, padding: 8, ordered: true, want: "user99999999"},
		{number: 100000000, padding: 8, ordered: true, want: "user100000000"},
		{number: 10000000000000000, ordered: true, want: "user10000000000000000"},
		{number: 4200000000, padding: 12, ordered: true, want: "user004200000000"},
		{number: math.MaxInt64, ordered: true, want: "user9223372036854775807"},
		{number: -5, padding: 4, ordered: true, want: "user00-5"},
		{number: math.MinInt64, ordered: true, want: "user-9223372036854775808"},
	} {
		names := NewNames("user", test.padding, test.ordered)
		got := names.Append(nil, test.number)
		require.Equal(t, test.want, string(got), "%+v", test)
		require.LessOrEqual(t, len(got), names.Longest(), "%+v", test)
	}
}

// The test compares with the FNV and the formatting of the standard library, which have no such fast paths.
func TestNamesFollowTheFormulaForAnyNumber(t *testing.T) {
	r := NewRand(1)
	for _, test := range []struct {
		prefix  string
		padding int
		ordered bool
		shift   int // of the numbers: how small they are
	}{
		{prefix: "user", padding: 1, shift: 1},
		{prefix: "user", padding: 1, shift: 33},
		{prefix: "user", padding: 1, shift: 23},
		{prefix: "k", padding: 24, shift: 1},
		{prefix: "row-", padding: 10, ordered: true, shift: 40},
		{prefix: "", padding: 1, ordered: true, shift: 1},
	} {
		names := NewNames(test.prefix, test.padding, test.ordered)
		var got []byte
		for range draws / 4 {
			n := int64(r.Uint64() >> test.shift)
			want := n
			if !test.ordered {
				h := fnv.New64a()
				_ = binary.Write(h, binary.LittleEndian, n)
				want = int64(h.Sum64())
				if want < 0 {
					want = -want
				}
			}
			got = names.Append(got[:0], n)
			if text := fmt.Sprintf("%s%0*d", test.prefix, test.padding, want); text != string(got) {
				require.Equal(t, text, string(got), "%+v, number %d", test, n)
			}
		}
	}
}

// The sums were computed by a Java program that follows the reference's description.
func TestHashIsThatOfJava(t *testing.T) {
	for shift, want := range map[int]int64{0: -9032946464401354089, 24: -3557119249020754375} {
		var sum int64
		for k := uint64(1); k <= 1_000_000; k++ {
			sum = 31*sum + Hash(int64(k*golden>>shift))
		}
		require.Equal(t, want, sum, "numbers shifted by %d", shift)
	}
}

func TestNamesAreBuiltWithoutAllocation(t *testing.T) {
	for _, padding := range []int{1, 12, 40} {
		names := NewNames("user", padding, false)
		buffer := make([]byte, 0, names.Longest())
		n := int64(0)
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			buffer = names.Append(buffer[:0], n)
			n += 12345
		}))
	}
}

func TestNamesAppendToTheirBuffer(t *testing.T) {
	names := NewNames("user", 1, true)
	got := names.Append([]byte(strings.Repeat("x", 5)), 12)
	require.Equal(t, "xxxxxuser12", string(got))
}

func BenchmarkName(b *testing.B) {
	names := NewNames("user", 1, false)
	buffer := make([]byte, 0, names.Longest())
	n := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		buffer = names.Append(buffer[:0], n)
		n++
	}
}
