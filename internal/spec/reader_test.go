package spec

import (
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/null/nullspec"
)

// reader knows the targets that benchd has.
func reader() *Reader { return NewReader(nullspec.Target(), hbasespec.Target(), hbasespec.Sandbox()) }
