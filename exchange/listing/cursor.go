package listing

import (
	"context"
	"fmt"
	"reflect"

	"rebatedesk/exchange"
)

// Follow reads a list by a cursor, which each page gives for the next one. It ends with an empty page,
// or one without a cursor or with that of the page before; a short page proves nothing. A page that is the one
// before again, by its cursor and all its records, counts once.
func Follow[T any](ctx context.Context, begin func(), fetch func(ctx context.Context, cursor string) (exchange.Page[T], error)) (got exchange.Reading[T], err error) {
	if begin != nil {
		begin()
	}
	seen := map[string]bool{}
	var before exchange.Page[T]
	for cursor := ""; ; {
		page, err := fetch(ctx, cursor)
		if err != nil {
			return exchange.Reading[T]{}, err
		}
		if cursor != "" && page.Cursor == cursor && same(page, before) {
			return got, nil
		}
		got.Add(page)
		before = page
		if page.Len() == 0 || page.Cursor == "" || page.Cursor == cursor {
			return got, nil
		}
		if cursor = page.Cursor; seen[cursor] || len(seen) > MaxPages {
			return exchange.Reading[T]{}, unsteady(fmt.Sprintf("the list goes round: the place %.40q came twice", cursor))
		}
		seen[cursor] = true
	}
}

// same reports whether two pages have the same records in the same order.
func same[T any](a, b exchange.Page[T]) bool {
	return reflect.DeepEqual(a.Records, b.Records) && reflect.DeepEqual(a.Quarantined, b.Quarantined)
}
