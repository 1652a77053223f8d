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

// BackUpNow starts a backup.
func (s *Area) BackUpNow(c *fiber.Ctx) error {
	if s.Backups == nil {
		return fiber.ErrNotFound
	}
	return s.Begin(c, "back up now", &s.backingUp, s.Backups.Make, "/settings/backups")
}
