// Package jmx serves a sandbox's metrics over HTTP as HBase does, so that a reader of a cluster's metrics also works on
// a sandbox:
//
//  1. a server counts its work in a Meter, with atomic additions only;
//  2. for each request the sandbox fills in a RegionServer or a Master, which have metrics but no bean names;
//  3. beans maps each metric to its bean and attribute in HBase;
//  4. Handler answers /jmx with them (all, or those that match ?qry=) and /conf with the settings.
//
// All metrics are the sandbox's own. HBase metrics that have no meaning here are left out, not made up.
package jmx
