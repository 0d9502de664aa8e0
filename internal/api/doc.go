// Package api is the coordinator over HTTP, for curl, scripts and the console: the documents of benchctl's -o json, below /api/v1.
//
//  1. Routes is the table of all requests: method, path, parameters, the calls of the protocol that a request makes, its answer. The server,
//     the OpenAPI document (Describe) and the table in docs/api.md come from it.
//  2. A Server checks a request (its host, its origin, its parameters), and makes the calls by package remote as the peer of the request.
//     The coordinator's guard decides what that peer may do, and records it: this package has no rules of its own.
//  3. A document of what has ended has an ETag, so that a client reads it once.
//  4. Events are followed by many readers: a hub reads the progress of a suite once, encodes each event once, and keeps the last ones for
//     readers that come back.
//  5. An error is a document, too: all mistakes of a request, each with its place.
package api
