package settings

import (
	"github.com/gofiber/fiber/v2"

	templates "rebatedesk/web/templates/settings"
)

func (s *Area) BackupList(c *fiber.Ctx) error {
	if s.Backups == nil {
		return fiber.ErrNotFound
	}
	state, err := s.Backups.State(c.UserContext())
	if err != nil {
		return err
	}
	return s.Render(c, templates.Backups(templates.BackupsView{Settings: s.settingsPage(c, "Backups", "/settings/backups"),
		BackupState: state, Running: s.backingUp.Load() || state.Running()}))
}

// BackUpNow starts a backup in the background, unless one that was started here is
// still running, and redirects to its progress.
func (s *Area) BackUpNow(c *fiber.Ctx) error {
	if s.Backups == nil {
		return fiber.ErrNotFound
	}
	if err := s.Record(c, "back up now", "", ""); err != nil {
		return err
	}
	if s.backingUp.CompareAndSwap(false, true) {
		s.Go(func() {
			defer s.backingUp.Store(false)
			if err := s.Guarded("back up now", func() error { return s.Backups.Make(s.Life) }); err != nil {
				s.Log.Warn("backup asked for by a page failed", "error", err)
			}
		})
	}
	return c.Redirect("/settings/backups", fiber.StatusSeeOther)
}
