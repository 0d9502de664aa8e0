// Package master answers MasterService: what clients ask about tables, namespaces, regions and the cluster as a whole,
// and what they ask to be done about them.
//
//  1. The plan of faults decides on a call, then the method of its name serves it (serve);
//  2. what changes something is done by the cluster, at once, and known as a procedure that is over (procedures);
//     what takes time, as splitting a region in its middle, goes on while the client asks for its outcome;
//  3. descriptors of tables are kept word for word; of their attributes those are read that change what a table does.
package master
