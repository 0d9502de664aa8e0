// Package master answers MasterService: queries about tables, namespaces, regions and the cluster, and commands on
// them.
//
//  1. The fault plan decides on a call, then the method of its name serves it (serve);
//  2. the cluster carries out changes at once, and the master reports them as finished procedures (procedures); slow
//     ones, such as splitting a region in its middle, continue while the client polls for the outcome;
//  3. table descriptors are kept verbatim; only the attributes that change a table's behaviour are interpreted.
package master
