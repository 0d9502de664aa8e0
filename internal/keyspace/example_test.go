package keyspace_test

import (
	"fmt"

	"github.com/benchd/benchd/internal/keyspace"
)

// The number of a row becomes its key as in YCSB: the hash of the number, or the number itself.
func ExampleNames() {
	hashed, ordered := keyspace.NewNames("user", 1, false), keyspace.NewNames("user", 8, true)
	fmt.Println(string(hashed.Append(nil, 0)))
	fmt.Println(string(ordered.Append(nil, 42)))
	// Output:
	// user6284781860667377211
	// user00000042
}

// A few rows get most of the requests. The seed and the path of a stream decide all of it.
func ExampleNewZipfian() {
	rows := keyspace.NewZipfian(0, 999)
	random := keyspace.NewRand(7, 1)
	hottest := 0
	for range 10_000 {
		if rows.Draw(&random) < 10 {
			hottest++
		}
	}
	fmt.Println(hottest > 3000)
	// Output: true
}
