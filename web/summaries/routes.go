package summaries

import (
	"slices"

	"rebatedesk/access"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package. Named pages come before the schedules, whose addresses are
// numbers.
func (s *Area) Routes() []route.Route {
	list := slices.Concat([]route.Route{
		route.Page("/summaries", access.MayRead, s.Summaries).
			Help("Mails", "Who gets which figures by mail, and did the last mail arrive?", "summary", "schedule", "period", "deadline", "partial", "correction").
			Try("Open the preview of a schedule, and send it to yourself as a test.").
			Listed(navigation.Reports, "mail", "summaries schedule"),
		route.Page("/summaries/alerts", access.MayRead, s.Alerts).
			Help("Alerts", "Which events are reported at once, and to whom?", "alert", "quiet time").Listed(navigation.Reports, "alert", "event notify"),
	}, s.subscriptions("/summaries/alerts", "alert", "An", "alert", "add notify", "Which event should be reported, and to whom?", "Which event does this alert report, and to whom?", "alert", "quiet time"), []route.Route{
		route.Private("/summaries/new/preview", access.MayEdit, s.Draft).
			Help("Preview of a new schedule", "What would a schedule send that is not saved yet?", "summary", "partial").
			Try("Change the form of the schedule: the preview next to it follows."),
		route.Private("/summaries/new/preview/message", access.MayEdit, s.DraftedMessage).
			Help("The mail of a new schedule", "How would most mail programs show the mail?", "summary").
			Try("Open it next to the form of the schedule."),
	}, s.subscriptions("/summaries", "mail", "A", "schedule", "summary schedule mail add", "Which figures should go to whom, and when?", "Which figures does this schedule send to whom, and when?", "schedule", "period", "deadline", "reporting zone"), []route.Route{
		route.Page("/summaries/:id/preview", access.MayRead, s.Preview).
			Help("Preview of a summary", "What will the mail look like? Here you can also send it to one address as a test.", "summary", "period", "partial"),
		route.Page("/summaries/:id/preview/message", access.MayRead, s.PreviewedMessage).
			Help("The mail itself", "What will the recipient see?", "summary"),
		route.Page("/summaries/:id/preview/message.eml", access.MayExport, s.PreviewedFile).DescribeFile("The message of the preview of a summary.", route.NoParams, "date"),
		route.Page("/summaries/:id/preview/attached.csv", access.MayExport, s.PreviewedFile).DescribeFile("The CSV file attached to the preview of a summary.", route.NoParams, "date"),
		route.Page("/summaries/:id/preview/attached.xlsx", access.MayExport, s.PreviewedFile).DescribeFile("The workbook attached to the preview of a summary.", route.NoParams, "date"),
		route.Private("/summaries/:id/send", access.MayEdit, s.SendReview).
			Help("Send a summary now", "Who gets this summary if I send it now?", "summary", "recipient", "partial"),
		route.Post("/summaries/:id/send", access.MayEdit, s.SendNow),
		route.Post("/summaries/:id/test", access.MayEdit, s.SendTest),
		route.Page("/channels", access.MayRead, s.ChannelList).
			Help("Chats", "Where do messages go besides single mail addresses?", "channel", "alert").
			Try("Add a chat or a webhook, and test it: the test says what the other side answered.").
			Listed(navigation.Reports, "channel", "channels webhook telegram slack discord"),
		route.Proven("/channels", access.MayEdit, s.AddChannel),
		route.Post("/channels/:id/test", access.MayEdit, s.TestChannel),
		route.Post("/channels/:id/pause", access.MayEdit, s.PauseChannel),
		route.Post("/channels/:id/resume", access.MayEdit, s.PauseChannel),
		route.Proven("/channels/:id/rotate", access.MayEdit, s.RotateChannel),
		route.Post("/channels/:id/remove", access.MayEdit, s.RemoveChannel),
		route.Private("/unsubscribe/:token", route.Holder, s.UnsubscribePage).Open(),
		route.Post("/unsubscribe/:token", route.Holder, s.Unsubscribe).Open(),
	})
	return s.present(list)
}

// LogRoutes are the addresses of what was sent.
func (s *Area) LogRoutes() []route.Route {
	return s.present([]route.Route{
		route.Page("/summaries/deliveries", access.MayRead, s.DeliveryList).
			Help("Log", "Which mails, messages and files were sent, and what did their receivers answer?", "attempt", "outbox", "recipient").Listed(navigation.Reports, "list", "deliveries sent outbox mails").AsLast(),
		route.Page("/summaries/deliveries/:id", access.MayRead, s.Delivery).
			Help("A delivery", "What became of this mail?", "attempt", "recipient"),
		route.Page("/summaries/deliveries/:id/message", access.MayRead, s.DeliveredMessage).
			Help("A mail that was sent", "What did the recipient see?", "summary"),
		route.Page("/summaries/deliveries/:id/message.eml", access.MayExport, s.DeliveredFile).DescribeFile("The message of a mail that was sent.", route.NoParams),
		route.Page("/summaries/deliveries/:id/attached.csv", access.MayExport, s.DeliveredFile).DescribeFile("The CSV file attached to a mail that was sent.", route.NoParams),
		route.Page("/summaries/deliveries/:id/attached.xlsx", access.MayExport, s.DeliveredFile).DescribeFile("The workbook attached to a mail that was sent.", route.NoParams),
		route.Post("/summaries/deliveries/:id/resend", access.MayEdit, s.Resend),
	})
}

// present returns routes that answer only where mail is set up.
func (s *Area) present(list []route.Route) []route.Route {
	if s.Mail == nil {
		return route.Absent(list)
	}
	return list
}

// subscriptions are the forms of one kind of subscription, below its list, with their help.
func (s *Area) subscriptions(list, icon, one, name, words, ofNew, ofOne string, terms ...string) []route.Route {
	return []route.Route{
		route.Private(list+"/new", access.MayEdit, s.New).Help("A new "+name, ofNew, terms...).Begins(list+"/new", "New "+name, icon, words),
		route.Post(list, access.MayEdit, s.Save),
		route.Private(list+"/:id", access.MayEdit, s.Edit).Help(one+" "+name, ofOne, terms...),
		route.Post(list+"/:id", access.MayEdit, s.Save),
		route.Post(list+"/:id/pause", access.MayEdit, s.Pause),
		route.Post(list+"/:id/resume", access.MayEdit, s.Pause),
		route.Post(list+"/:id/remove", access.MayEdit, s.Remove),
	}
}
