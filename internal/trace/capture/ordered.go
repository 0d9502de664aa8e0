package capture

// ordered is a heap of operations, the earliest first. Operations of the same instant stay in the order in which they came.
type ordered []*operation //nolint:recvcheck // heap.Interface: Push and Pop change the length

// Len implements heap.Interface.
func (h ordered) Len() int { return len(h) }

// Less implements heap.Interface.
func (h ordered) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].came < h[j].came
}

// Swap implements heap.Interface.
func (h ordered) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *ordered) Push(x any) { *h = append(*h, x.(*operation)) } //nolint:errcheck,forcetypeassert // the only type

// Pop implements heap.Interface.
func (h *ordered) Pop() any {
	last := len(*h) - 1
	o := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return o
}
