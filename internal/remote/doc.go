// Package remote is benchctl's side of the coordinator:
//
//  1. Dial names a coordinator; New takes a connection to one in this process. Nothing is sent yet.
//  2. Each method of Client is one request: Submit, Validate, Watch, Result, List, Cancel, Remove, Agents, Drain.
//     Requests that are answered at once have a time limit; Watch and Result have that of their context.
//  3. Watch survives a restart of the coordinator: it retries until it gets an answer or patience ends.
//  4. Errors are of the kinds of package wire, with a text that names the coordinator and the cure.
package remote
