// Package upkeep keeps a database intact: backups and their drills, restore, verification,
// and vital signs.
package upkeep
