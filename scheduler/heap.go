package scheduler

// heap is a binary heap that tells its elements where they are, so that any of
// them can be moved or removed in logarithmic time.
type heap[T any] struct {
	list  []T
	less  func(a, b T) bool
	moved func(x T, i int) // i is -1 when x has left
}

func (h *heap[T]) push(x T) {
	h.list = append(h.list, x)
	h.moved(x, len(h.list)-1)
	h.up(len(h.list) - 1)
}

// remove takes the element at i out.
func (h *heap[T]) remove(i int) {
	x, last := h.list[i], len(h.list)-1
	h.swap(i, last)
	var zero T
	h.list[last] = zero
	h.list = h.list[:last]
	h.moved(x, -1)
	if i < last {
		h.fix(i)
	}
}

// fix restores the order after the element at i has changed.
func (h *heap[T]) fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

func (h *heap[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(h.list[i], h.list[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

// down reports whether the element at i has moved.
func (h *heap[T]) down(i int) bool {
	start := i
	for {
		child := 2*i + 1
		if child >= len(h.list) {
			return i > start
		}
		if right := child + 1; right < len(h.list) && h.less(h.list[right], h.list[child]) {
			child = right
		}
		if !h.less(h.list[child], h.list[i]) {
			return i > start
		}
		h.swap(i, child)
		i = child
	}
}

func (h *heap[T]) swap(i, j int) {
	if i == j {
		return
	}
	h.list[i], h.list[j] = h.list[j], h.list[i]
	h.moved(h.list[i], i)
	h.moved(h.list[j], j)
}
