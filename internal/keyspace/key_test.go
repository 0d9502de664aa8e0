package keyspace

import "testing"

// The reference's golden lines, which YCSB itself printed.
func TestNamesAreThoseOfYCSB(t *testing.T) {
	names := NewNames("user", 1, false)
	for n, want := range map[int64]string{
		0: "user6284781860667377211", 1: "user8517097267634966620", 2: "user1820151046732198393",
		3: "user4052466453699787802", 10: "user2408371864701034737", 999: "user2071219101098386137",
		1000000: "user1011632231655643464", 2147483647: "user627943977067101855",
		10000000000: "user1201321332300452516", -1: "user8289690350564177859",
	} {
		if got := string(names.Append(nil, n)); got != want {
			t.Errorf("key of %d is %s, want %s", n, got, want)
		}
	}
}
