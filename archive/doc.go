// Package archive writes ZIP files whose bytes depend on nothing but their content, and
// checks that the bytes of a ZIP file are exactly those that it would write.
//
// The compressor is our own, so that a new release of Go or of a library never changes the
// bytes of a file that is made again. Its output is ordinary deflate, which every program
// reads.
package archive
