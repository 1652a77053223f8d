package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// question is a digest of what is asked and of the type of the answer. It holds
// on to no text of whoever asks, and all questions take the same room.
type question [sha256.Size]byte

func questionOf[T any](what, f any) question {
	var answer T
	return sha256.Sum256(fmt.Appendf(nil, "%T of %T %#v %#v", answer, what, what, f))
}

// answerVersion is a digest of all that an answer is made of. Answers of the
// same question and version are the same.
type answerVersion [sha256.Size]byte

// Recall gives the answer to a question about invitees from memory where all
// blocks that it is made of are as they were when it was given; otherwise it
// asks. what tells questions of the same filter apart, size is about how many
// bytes an answer takes. Nobody may change an answer that was recalled.
func Recall[T any](ctx context.Context, r *Reader, what string, f CommissionFilter, size func(T) int64, ask func() (T, error)) (T, error) {
	return recall(ctx, r, recalled{what: what, filter: f, kind: byUID, longest: ofYear}, size, ask)
}

// recalled is a question that may be answered from memory.
type recalled struct {
	what    any // plain values: what they print tells them apart
	filter  CommissionFilter
	kind    kind
	longest span
	of      string // what else it is made of, of which it is not asked
}

func recall[T any](ctx context.Context, r *Reader, q recalled, size func(T) int64, ask func() (T, error)) (T, error) {
	if !r.inBlocks(q.filter, q.kind) {
		return ask()
	}
	version, err := r.answerVersion(ctx, q)
	if err != nil {
		var none T
		return none, err
	}
	key := questionOf[T](q.what, q.filter)
	if answer, ok := r.memory.answer(key, version); ok {
		return answer.(T), nil
	}
	answer, err := ask()
	if err == nil {
		r.memory.keepAnswer(key, version, answer, size(answer))
	}
	return answer, err
}

// recallUnwritten gives the answer to a question from memory where nothing at
// all was written since it was given: each write has a stamp of its own. f is
// plain values. Nobody may change an answer that was recalled.
func recallUnwritten[T any](ctx context.Context, r *Reader, what string, f any, size func(T) int64, ask func() (T, error)) (T, error) {
	written, err := r.LastWrite(ctx)
	if err != nil {
		var none T
		return none, err
	}
	key, version := questionOf[T](what, f), sha256.Sum256(fmt.Appendf(nil, "written %d", written))
	if answer, ok := r.memory.answer(key, version); ok {
		return answer.(T), nil
	}
	answer, err := ask()
	if err == nil {
		r.memory.keepAnswer(key, version, answer, size(answer))
	}
	return answer, err
}

// answerVersion digests the versions of the blocks, the names of the accounts
// and who has the code that is asked for.
func (r *Reader) answerVersion(ctx context.Context, of recalled) (version answerVersion, err error) {
	runs, err := r.runs(ctx, of.filter.Days, of.longest)
	if err != nil {
		return version, err
	}
	q, err := r.blockQuestion(ctx, of.filter, of.kind)
	if err != nil {
		return version, err
	}
	accounts, err := r.accountNames(ctx)
	if err != nil {
		return version, err
	}
	text := fmt.Appendf(nil, "%q\n", of.of)
	for _, id := range sortedKeys(accounts) {
		text = fmt.Appendf(text, "%d %q\n", id, accounts[id])
	}
	for _, p := range q.codedInOrder() {
		text = fmt.Appendf(text, "%d %q\n", p.account, p.uid)
	}
	for _, run := range runs {
		blocks, err := q.versions(ctx, run)
		if err != nil {
			return version, err
		}
		for _, b := range blocks {
			text = b.appendTo(text)
		}
	}
	return sha256.Sum256(text), nil
}

// appendTo appends all that the version says, in a fixed length.
func (b blockVersion) appendTo(text []byte) []byte {
	text = append(text, byte(slices.Index(kinds, b.kind)), byte(slices.Index(spans, b.span)))
	for _, n := range [...]int64{int64(b.first), b.account, b.shard, b.version} {
		text = binary.BigEndian.AppendUint64(text, uint64(n))
	}
	return text
}

func (q *blockQuestion) codedInOrder() []person {
	list := make([]person, 0, len(q.coded))
	for p := range q.coded {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b person) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.uid, b.uid))
	})
	return list
}

// sumsBytes is about what Sums of their own and what they are of take.
const sumsBytes = 256

// sizeOfSums is about how many bytes a list of sums takes.
func sizeOfSums[T any](list []T) int64 { return int64(len(list)) * sumsBytes }
