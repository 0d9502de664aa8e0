// Package control controls a running sandbox from outside:
//
//  1. Handler answers HTTP below /sandbox/ on the master's info port, with JSON;
//  2. Client sends the requests, for `benchctl sandbox`.
//
// Package fault validates the faults of a request, as it validates those of a file. Requests that a foreign page makes
// a browser send are refused: a request that changes something must have the content type of JSON, and name this
// machine as its host.
package control
