package site

// LooksRight checks the requirements for every page: it is no wider than the screen, and
// axe finds no fault.
func (b *Tab) LooksRight(name string) {
	b.T.Helper()
	b.Arrives(Sideways + " <= 0")
	b.Shoot(name)
	b.Accessible()
}
