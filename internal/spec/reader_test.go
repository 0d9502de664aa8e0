package spec

import (
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/null/nullspec"
)

// reader returns a Reader of benchd's targets.
func reader() *Reader { return NewReader(nullspec.Target(), hbasespec.Target(), hbasespec.Sandbox()) }
