package workload

// share divides a total over the workers of all shards: each gets an equal part, and the remainder goes one by one to the
// first workers of every shard, then to the second ones and so on. Shards with the same number of workers, and workers of
// any shards, differ by at most one.
type share struct {
	workers []int // of each shard
	all     int64 // workers over all shards
}

func newShare(workers []int) share {
	s := share{workers: workers}
	for _, w := range workers {
		s.all += int64(w)
	}
	return s
}

// of returns the part of one worker of one shard.
func (s share) of(total int64, shard, worker int) int64 {
	part, rest := total/s.all, total%s.all
	if s.rank(shard, worker) < rest {
		part++
	}
	return part
}

// before returns the sum of the parts of all workers of earlier shards and of earlier workers of this one.
func (s share) before(total int64, shard, worker int) int64 {
	var sum int64
	for i := range shard {
		for w := range s.workers[i] {
			sum += s.of(total, i, w)
		}
	}
	for w := range worker {
		sum += s.of(total, shard, w)
	}
	return sum
}

// ordinal returns the position of a worker in the order of shards.
func (s share) ordinal(shard, worker int) int64 {
	n := int64(worker)
	for _, w := range s.workers[:shard] {
		n += int64(w)
	}
	return n
}

// rank returns the position of a worker in the order in which the remainder is assigned; it also interleaves workers.
func (s share) rank(shard, worker int) int64 {
	var before int64
	for i, w := range s.workers {
		before += int64(min(w, worker))
		if i < shard && w > worker {
			before++
		}
	}
	return before
}

// even divides a total over shards alone, with the remainder given to the first ones.
func even(total int64, shard, shards int) int64 {
	part := total / int64(shards)
	if int64(shard) < total%int64(shards) {
		part++
	}
	return part
}
