// Package cluster spreads a search over processes and machines, and keeps it while none of them runs.
//
// A job is one check. A piece of its search is an item, which package explore names by a path from the root. A worker takes an item from a queue,
// explores it for a while, and writes one record: what it found, and which items are left. The records are the only truth:
//
//   - an item has at most one record, because the server refuses a second one;
//   - the result is the sum of the records, and the job has ended when each item that a record names has a record;
//   - the queue is a cache: the client knows from the records which items are missing, and queues them again.
//
// So workers, clients and servers may die at any moment, and an item may be explored many times. What is lost is the time since the last record.
//
// # On the server
//
// The server is NATS with JetStream: one that exists, ravel cluster serve, or, for --checkpoint, one in this process without a port.
//
//	stream RAVEL_ITEMS    rv.item.BUILD.JOB.GENERATION.ID    the queue: an Item, until a worker acknowledges it
//	stream RAVEL_DONE     rv.done.JOB.GENERATION.ID          the records
//	bucket ravel_jobs     job.KEY, setup.JOB, status.JOB     what to check; the Setup of the generation; how far it is
//	objects ravel_programs  SHA-256                          linked programs
//	subjects rv.hungry.BUILD, rv.hello                       workers that have nothing to do, workers that are there
//
// BUILD is the version of ravel: a worker takes only items of its own. KEY is a hash of all that makes a check, so the same command finds its job again.
//
// # Generations
//
// A search that learns something begins again with another Setup (explore.Setup): a new generation, whose items and records have other subjects.
// The Setup is changed by compare-and-swap, so all workers agree on it. More threads are not another generation.
package cluster
