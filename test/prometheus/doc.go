// Package prometheus tests what operators see: a real Prometheus finds a coordinator and its agents, scrapes them while a
// run goes on, and is asked what the dashboard asks.
//
//  1. scripts/prometheus finds Prometheus, or fetches it.
//  2. A coordinator, two agents and two Prometheus (with native histograms, and without) run as processes of their own.
//  3. What they answer is compared with the run's result.
//
// Its tests are behind the tag `integration`: make test-integration.
package prometheus
