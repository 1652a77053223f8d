// Package received keeps the exchange's answers as they were received: for each slice that
// was written a fingerprint of them, and on request the answers themselves.
package received
