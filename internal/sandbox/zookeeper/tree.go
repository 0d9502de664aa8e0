package zookeeper

import (
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// event is the change of a watched node, with ZooKeeper's numbers.
type event int32

const (
	created         event = 1
	deleted         event = 2
	dataChanged     event = 3
	childrenChanged event = 4
)

// stat is ZooKeeper's metadata of a node.
type stat struct {
	createdIn, changedIn, childrenIn int64 // transactions
	createdAt, changedAt             int64 // milliseconds
	version, childrenVersion         int32
	length, children                 int32
	owner                            int64
}

type znode struct {
	data     []byte
	stat     stat
	children map[string]struct{}
}

// watcher is notified once of each watched change. It must not call the tree.
type watcher interface {
	changed(what event, path string)
}

// Tree holds the znodes. It is safe for concurrent use.
type Tree struct {
	mu    sync.Mutex
	zxid  int64
	nodes map[string]*znode
	// Watchers by path: of the node's data or existence, and of its children.
	onNode, onChildren map[string]map[watcher]struct{}
}

// NewTree makes a tree with only the root.
func NewTree() *Tree {
	return &Tree{
		nodes:      map[string]*znode{"/": {children: map[string]struct{}{}}},
		onNode:     map[string]map[watcher]struct{}{},
		onChildren: map[string]map[watcher]struct{}{},
	}
}

// Set writes a node, and creates it and its parents if needed. An ephemeral node belongs to a session, like the nodes
// of servers.
func (t *Tree) Set(name string, data []byte, ephemeral bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.zxid++
	now := time.Now().UnixMilli()
	if n, ok := t.nodes[name]; ok {
		n.data = slices.Clone(data)
		n.stat.version++
		n.stat.changedIn, n.stat.changedAt, n.stat.length = t.zxid, now, int32(len(data))
		fire(t.onNode, dataChanged, name)
		return
	}
	n := t.create(name, now)
	n.data, n.stat.length = slices.Clone(data), int32(len(data))
	if ephemeral {
		n.stat.owner = serverSession
	}
}

// create makes a node with its parents, and notifies their watchers. The caller holds the tree's lock.
func (t *Tree) create(name string, now int64) *znode {
	n := &znode{children: map[string]struct{}{}}
	n.stat.createdIn, n.stat.changedIn, n.stat.childrenIn = t.zxid, t.zxid, t.zxid
	n.stat.createdAt, n.stat.changedAt = now, now
	parentName := path.Dir(name)
	parent, ok := t.nodes[parentName]
	if !ok {
		parent = t.create(parentName, now)
	}
	parent.children[path.Base(name)] = struct{}{}
	parent.stat.children++
	parent.stat.childrenVersion++
	parent.stat.childrenIn = t.zxid
	t.nodes[name] = n
	fire(t.onNode, created, name)
	fire(t.onChildren, childrenChanged, parentName)
	return n
}

// Delete removes a node and its subtree. A missing node is not an error.
func (t *Tree) Delete(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.nodes[name]; !ok || name == "/" {
		return
	}
	t.zxid++
	for other := range t.nodes {
		if strings.HasPrefix(other, name+"/") {
			t.drop(other)
		}
	}
	t.drop(name)
	parentName := path.Dir(name)
	parent := t.nodes[parentName]
	delete(parent.children, path.Base(name))
	parent.stat.children--
	parent.stat.childrenVersion++
	parent.stat.childrenIn = t.zxid
	fire(t.onChildren, childrenChanged, parentName)
}

func (t *Tree) drop(name string) {
	delete(t.nodes, name)
	fire(t.onNode, deleted, name)
	fire(t.onChildren, deleted, name)
}

// fire notifies all watchers of a path, and removes them, because a watch fires once.
func fire(waiting map[string]map[watcher]struct{}, what event, name string) {
	for w := range waiting[name] {
		w.changed(what, name)
	}
	delete(waiting, name)
}

// read returns a node's data and stat. With a watcher it leaves a watch; the node must exist unless the caller only
// checks for its existence.
func (t *Tree) read(name string, w watcher, askedWhether bool) ([]byte, stat, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.nodes[name]
	if w != nil && (ok || askedWhether) {
		wait(t.onNode, name, w)
	}
	if !ok {
		return nil, stat{}, false
	}
	return n.data, n.stat, true
}

// list returns the sorted names of a node's children.
func (t *Tree) list(name string, w watcher) ([]string, stat, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.nodes[name]
	if !ok {
		return nil, stat{}, false
	}
	if w != nil {
		wait(t.onChildren, name, w)
	}
	names := make([]string, 0, len(n.children))
	for child := range n.children {
		names = append(names, child)
	}
	slices.Sort(names)
	return names, n.stat, true
}

// again sets the watches that a client had before its connection broke, and immediately delivers the missed events.
func (t *Tree) again(w watcher, since int64, data, exist, child []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range data {
		switch n, ok := t.nodes[name]; {
		case !ok:
			w.changed(deleted, name)
		case n.stat.changedIn > since:
			w.changed(dataChanged, name)
		default:
			wait(t.onNode, name, w)
		}
	}
	for _, name := range exist {
		if _, ok := t.nodes[name]; ok {
			w.changed(created, name)
		} else {
			wait(t.onNode, name, w)
		}
	}
	for _, name := range child {
		switch n, ok := t.nodes[name]; {
		case !ok:
			w.changed(deleted, name)
		case n.stat.childrenIn > since:
			w.changed(childrenChanged, name)
		default:
			wait(t.onChildren, name, w)
		}
	}
}

// forget drops all watches of a closed connection.
func (t *Tree) forget(w watcher) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, waiting := range []map[string]map[watcher]struct{}{t.onNode, t.onChildren} {
		for name, ws := range waiting {
			delete(ws, w)
			if len(ws) == 0 {
				delete(waiting, name)
			}
		}
	}
}

func (t *Tree) last() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.zxid
}

func wait(waiting map[string]map[watcher]struct{}, name string, w watcher) {
	ws := waiting[name]
	if ws == nil {
		ws = map[watcher]struct{}{}
		waiting[name] = ws
	}
	ws[w] = struct{}{}
}
