package site

// InSight fails the test if an open menu extends beyond the sides of the screen.
func (b *Tab) InSight() {
	b.T.Helper()
	const menu = `[...document.querySelectorAll("main details[open] > .popover")].map(p => p.getBoundingClientRect())`
	if n := Eval[int](b, menu+`.length`); n != 1 {
		b.T.Errorf("%d menus are open", n)
	}
	if out := Eval[int](b, menu+`.filter(r => r.left < 0 || r.right > innerWidth).length`); out > 0 {
		b.T.Error("the menu goes beyond the screen")
	}
}
