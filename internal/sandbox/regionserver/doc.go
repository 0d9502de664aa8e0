// Package regionserver serves the calls to one region server: ClientService, which reads and writes rows, and
// AdminService, which flushes, compacts and describes regions.
//
//  1. A call is translated into the store's terms (read, mutation, condition), and its region is found;
//  2. the fault plan decides on it, and the service-time model makes it wait, if there are any;
//  3. the call is carried out, and the cells of its result become the answer's cell block (result);
//  4. a scanner stays open between calls under a lease (scan, lease); a batch is carried out action by action (multi).
package regionserver
