package store

// LockBackup is the lock of a backup at work.
func LockBackup(s *Store) (release func() error, err error) { return s.lockBackup() }
