// Package regionserver answers what clients ask of one region server: ClientService, which reads and writes rows, and
// AdminService, which flushes, compacts and describes regions.
//
//  1. A call is taken apart into what it asks of the store (read, mutation, condition), its region is found;
//  2. the plan of faults decides on it, the model of service times has it wait, if there are any;
//  3. it is carried out, and the cells of its result become the answer's block (result);
//  4. a scanner stays open between calls under a lease (scan, lease); a batch is carried out action by action (multi).
package regionserver
