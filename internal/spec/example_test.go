package spec_test

import (
	"fmt"

	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/null/nullspec"
)

// A workload file of YCSB and a flag become a suite of one case.
func ExampleReader_Parse() {
	reader := spec.NewReader(nullspec.Target())
	suite, _, err := reader.Parse(spec.Submission{
		Files:      []spec.File{{Name: "workloada", Content: []byte("recordcount=1000\noperationcount=500\nreadproportion=0.5\nupdateproportion=0.5\n")}},
		Properties: []spec.Setting{{Key: "threadcount", Value: "8"}},
	})
	if err != nil {
		panic(err)
	}
	settings := suite.Cases[0].Settings
	fmt.Println(suite.Name, settings.DB, settings.Threads, settings.Workload.RecordCount, settings.Workload.OperationCount)
	// Output: workloada null 8 1000 500
}

// All mistakes are found at once, each with its place and its cure.
func ExampleReader_Parse_mistakes() {
	_, _, err := spec.NewReader(nullspec.Target()).Parse(spec.Submission{
		Properties: []spec.Setting{{Key: "recordcont", Value: "1000"}, {Key: "threadcount", Value: "none"}},
	})
	fmt.Println(err)
	// Output:
	// -p: recordcont: unknown property; did you mean recordcount?
	// -p: threadcount: invalid integer "none": want digits only, such as 1000
}
