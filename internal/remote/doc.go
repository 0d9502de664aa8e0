// Package remote is benchctl's side of the coordinator:
//
//  1. Dial names a coordinator; New takes a connection to one in this process. Nothing is sent yet.
//  2. Each method of Client is one question: Submit, Validate, Watch, Result, List, Cancel, Remove, Agents,
//     Drain. Questions that are answered at once have a time limit; Watch and Result have that of their context.
//  3. Watch outlives a coordinator that is restarted: it asks again until it is answered or patience ends.
//  4. An error is of the kinds of package wire, with a text that names the coordinator and the cure.
package remote
