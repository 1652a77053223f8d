package site

// Foreign matches elements that the application never creates and that a hostile text
// could.
const Foreign = `[...document.querySelectorAll("img, iframe, object, embed, base, form[action^='javascript:' i], a[href^='javascript:' i], a[href^='data:' i], script:not([src], [type='application/json']), style, [onerror], [onload], [onfocus], [onclick], [autofocus][onfocus]")]
	.filter(e => !e.matches("[data-chart] *")).map(e => e.outerHTML.slice(0, 160))`
