package books

import (
	"math/big"
	"testing"
)

// A balance says what is owed and why: missing, underpaid, restated, excess.
func TestBalance(t *testing.T) {
	for _, c := range []struct{ name, scene, want string }{
		{"paid", "earn 1 12.5\nbill 2 08:10 12.5", "0 0 0 0"},
		{"not paid", "earn 1 12.5", "12.5 0 0 0"},
		{"not due", "earn 30 12.5\nearn 31 3", "0 0 0 0"},
		{"less than was known", "earn 1 10\nbill 2 08:10 9", "0 1 0 0"},
		{"the rest later", "earn 1 10\nbill 2 08:10 9\nbill 7 12:00 1", "0 0 0 0"},
		{"more than was known", "earn 1 10\nbill 2 08:10 11", "0 0 0 1"},
		{"too much is taken back", "earn 1 10\nbill 2 08:10 11\nbill 9 09:00 -1", "0 0 0 0"},
		{"a part is taken back", "earn 1 10\nbill 2 08:10 10\nbill 9 09:00 -1", "0 0 0 -1"},
		{"twice", "earn 1 10\nbill 2 08:10 10\nbill 2 08:10 10", "0 0 0 10"},
		{"for no period", "earn 1 10\nbill 2 08:10 10\nbill 2 08:20 3", "0 0 0 3"},
		{"raised after the payment", "earn 1 15\nchange 1 5 3\nbill 2 08:10 12", "0 0 3 0"},
		{"raised, and the rest paid", "earn 1 15\nchange 1 5 3\nbill 2 08:10 12\nbill 9 08:00 3", "0 0 0 0"},
		{"raised, the rest paid, and raised again", "earn 1 16\nchange 1 5 3\nchange 1 12 1\nbill 2 08:10 12\nbill 9 08:00 3", "0 0 1 0"},
		{"lowered after the payment", "earn 1 10\nchange 1 5 -2\nbill 2 08:10 12", "0 0 -2 0"},
		{"lowered and taken back", "earn 1 10\nchange 1 5 -2\nbill 2 08:10 12\nbill 9 08:00 -2", "0 0 0 0"},
		{"lowered to nothing", "earn 1 0\nchange 1 5 -12\nbill 2 08:10 12", "0 0 -12 0"},
		{"too little, and raised", "earn 1 15\nchange 1 5 3\nbill 2 08:10 11", "0 1 3 0"},
		{"too much, and lowered", "earn 1 10\nchange 1 5 -2\nbill 2 08:10 13", "0 0 -2 1"},
		{"twice after it was lowered", "earn 1 10\nchange 1 5 -2\nbill 2 08:10 12\nbill 2 08:10 12", "0 0 -2 12"},
		{"below zero", "earn 1 -3", "0 0 0 3"},
		{"one of each", "earn 1 5\nearn 2 10\nearn 3 11\nearn 4 7\nchange 3 9 1\nbill 3 08:10 8\nbill 4 08:10 10\nbill 5 08:10 7\nbill 5 08:11 7", "5 2 1 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			books := Make(scene(t, c.scene), []Fixed{{Account: account1, Rule: ruleOf(t, "day+8h apart")}})
			var sum Balance
			for i := range books.Lines {
				sum.Add(books.Lines[i].Balance())
			}
			got := sum.Missing.String() + " " + sum.Underpaid.String() + " " + sum.Restated.String() + " " + sum.Excess.String()
			if got != c.want {
				t.Errorf("missing, underpaid, restated, excess: got %s, want %s; lines: %s", got, c.want, told(books.Lines))
			}
			checkBalance(t, sum)
		})
	}
}

// checkBalance compares both ways to what is owed, by other arithmetic.
func checkBalance(t *testing.T, b Balance) {
	t.Helper()
	of := func(text string) *big.Rat { return rat(t, text) }
	want := new(big.Rat).Sub(of(b.Earned.String()), of(b.Paid.String()))
	parts := new(big.Rat).Add(of(b.Missing.String()), of(b.Underpaid.String()))
	parts.Add(parts, of(b.Restated.String()))
	parts.Sub(parts, of(b.Excess.String()))
	owed := b.Owed()
	if parts.Cmp(want) != 0 || of(owed.String()).Cmp(want) != 0 {
		t.Errorf("owed %s; its parts %v; earned − paid %v: %+v", owed.String(), parts, want, b)
	}
}
