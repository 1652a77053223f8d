package site

// Sideways returns by how many pixels the page scrolls to the side when all of it is laid out.
const Sideways = `(` + AllSeen + `, document.documentElement.scrollWidth - innerWidth)`

// AllSeen lays out what a phone lays out when it is scrolled near.
const AllSeen = `document.querySelectorAll(".later").forEach(e => e.classList.add("seen"))`
