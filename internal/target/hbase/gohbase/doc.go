// Package gohbase is gohbase's own client as a second engine of target hbase, for those whose applications use it:
//
//  1. New makes the clients, one for each of hbase.connections, with the options that the settings name. Set-up, administration
//     and telemetry remain benchd's own.
//  2. A session makes a request of gohbase for each operation, with a context that ends with the operation's time.
//  3. An error is translated into the outcome that benchd's own client reports for it.
//  4. gohbase locates hbase:meta and dials by hooks of this package (hooks.go), because an agent connects only where its operator
//     allows it. They also count what gohbase does not report, and let its goroutines end.
//  5. gohbase ends the process by log.Fatal in states that it does not expect. Here the process stays, and the operations that
//     are in flight fail (process.go).
package gohbase
