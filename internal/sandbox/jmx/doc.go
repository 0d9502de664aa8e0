// Package jmx serves figures of a sandbox over HTTP as HBase does, so that what reads them from a cluster reads them from
// a sandbox too:
//
//  1. a server counts what it does in a Meter, by atomic additions only;
//  2. when somebody asks, the sandbox fills in a RegionServer or a Master: figures, and no names of beans;
//  3. beans gives each figure the bean and the attribute that HBase has for it;
//  4. Handler answers /jmx with them (all, or those that ?qry= asks for) and /conf with the settings.
//
// All figures are those of the sandbox. Where HBase has one that means nothing here it is left out, not made up.
package jmx
