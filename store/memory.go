package store

import (
	"container/list"
	"sync"
)

// The bounds, in bytes, of what a store keeps in memory of what it has read.
// Blocks and answers have rooms of their own: to read all blocks once must not
// cost the answers that were made of them.
const (
	roomForBlocks  = 24 << 20
	roomForAnswers = 24 << 20
)

// memory keeps blocks in the form they are added up in, and answers that were
// made of them. Whatever it keeps has a version, which whoever asks has read in
// the state of its own question: what has changed since, or was changed by
// another process, is never found.
type memory struct {
	mu      sync.Mutex
	blocks  *room
	answers *room
	names   *nameTable
}

func newMemory(blocks, answers int64) *memory {
	return &memory{blocks: newRoom(blocks), answers: newRoom(answers), names: newNameTable()}
}

// answer finds an answer of the version.
func (m *memory) answer(key question, version answerVersion) (any, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.answers.get(key, version)
}

// keepAnswer keeps an answer that takes so many bytes. Nobody may change it any
// more.
func (m *memory) keepAnswer(key question, version answerVersion, answer any, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers.put(key, version, answer, bytes)
}

// block finds a block that was packed with the table; nil: there is none.
func (m *memory) block(b blockVersion, table *nameTable) *packedBlock {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.blocks.get(b.blockID, b.version)
	if !ok || m.names != table {
		return nil
	}
	return found.(*packedBlock)
}

// keepBlock keeps a block, unless names were numbered anew since it was packed.
// Names are never taken out one by one, since blocks hold their numbers: where
// they take too much of the room, all blocks go.
func (m *memory) keepBlock(b blockVersion, packed *packedBlock) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if packed.table != m.names {
		return
	}
	names := m.names.size()
	if names > m.blocks.limit/2 {
		m.names, m.blocks = newNameTable(), newRoom(m.blocks.limit)
		return
	}
	m.blocks.taken = names
	m.blocks.put(b.blockID, b.version, packed, packed.bytes())
}

// table is the one that blocks are packed with from now on.
func (m *memory) table() *nameTable {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names
}

// room keeps values within a limit. Where there is no more room, what was not
// used for longest goes.
type room struct {
	limit  int64
	taken  int64 // bytes of something else
	used   int64 // bytes of what is kept
	kept   map[any]*list.Element
	recent *list.List // of remembered, the last used first
}

type remembered struct {
	key, version any
	value        any
	bytes        int64
}

func newRoom(limit int64) *room {
	return &room{limit: limit, kept: map[any]*list.Element{}, recent: list.New()}
}

func (r *room) get(key, version any) (any, bool) {
	found := r.kept[key]
	if found == nil || found.Value.(*remembered).version != version {
		return nil, false
	}
	r.recent.MoveToFront(found)
	return found.Value.(*remembered).value, true
}

// entryBytes is about what the book-keeping of a value takes.
const entryBytes = 400

// put keeps a value in place of one of another version.
func (r *room) put(key, version, value any, bytes int64) {
	if found := r.kept[key]; found != nil {
		r.drop(found)
	}
	if bytes += entryBytes; bytes > (r.limit-r.taken)/2 {
		return // it would push out all the others
	}
	r.kept[key] = r.recent.PushFront(&remembered{key, version, value, bytes})
	r.used += bytes
	for r.used+r.taken > r.limit {
		r.drop(r.recent.Back())
	}
}

func (r *room) drop(e *list.Element) {
	gone := r.recent.Remove(e).(*remembered)
	delete(r.kept, gone.key)
	r.used -= gone.bytes
}

// nameTable numbers UIDs and pairs.
type nameTable struct {
	mu      sync.Mutex
	numbers map[string]uint32
	names   []string // by number
	bytes   int64
}

func newNameTable() *nameTable { return &nameTable{numbers: map[string]uint32{}} }

// nameBytes is about what a name takes besides its own bytes.
const nameBytes = 80

// number is that of a name, which may be a part of a longer text.
func (t *nameTable) number(name string) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.numbers[name]
	if !ok {
		name = string(append([]byte(nil), name...))
		n = uint32(len(t.names))
		t.names = append(t.names, name)
		t.numbers[name] = n
		t.bytes += int64(len(name)) + nameBytes
	}
	return n
}

// list is all names by number. It stays as it is when more are added.
func (t *nameTable) list() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.names
}

func (t *nameTable) size() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}
