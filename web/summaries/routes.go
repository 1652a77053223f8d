package summaries

import (
	"slices"

	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package. Named pages come before the schedules, whose addresses are
// numbers.
func (s *Area) Routes() []route.Route {
	return slices.Concat([]route.Route{
		route.Page("/summaries", access.MayRead, s.Summaries),
		route.Page("/summaries/alerts", access.MayRead, s.Alerts),
	}, s.subscriptions("/summaries/alerts"), []route.Route{
		route.Page("/summaries/deliveries", access.MayRead, s.DeliveryList),
		route.Page("/summaries/deliveries/:id", access.MayRead, s.Delivery),
		route.Page("/summaries/deliveries/:id/message", access.MayRead, s.DeliveredMessage),
		route.Page("/summaries/deliveries/:id/message.eml", access.MayExport, s.DeliveredFile).DescribeFile("The message of a mail that was sent.", route.NoParams),
		route.Page("/summaries/deliveries/:id/attached.csv", access.MayExport, s.DeliveredFile).DescribeFile("The CSV file attached to a mail that was sent.", route.NoParams),
		route.Page("/summaries/deliveries/:id/attached.xlsx", access.MayExport, s.DeliveredFile).DescribeFile("The workbook attached to a mail that was sent.", route.NoParams),
		route.Post("/summaries/deliveries/:id/resend", access.MayEdit, s.Resend),
		route.Private("/summaries/new/preview", access.MayEdit, s.Draft),
		route.Private("/summaries/new/preview/message", access.MayEdit, s.DraftedMessage),
	}, s.subscriptions("/summaries"), []route.Route{
		route.Page("/summaries/:id/preview", access.MayRead, s.Preview),
		route.Page("/summaries/:id/preview/message", access.MayRead, s.PreviewedMessage),
		route.Page("/summaries/:id/preview/message.eml", access.MayExport, s.PreviewedFile).DescribeFile("The message of the preview of a summary.", route.NoParams, "date"),
		route.Page("/summaries/:id/preview/attached.csv", access.MayExport, s.PreviewedFile).DescribeFile("The CSV file attached to the preview of a summary.", route.NoParams, "date"),
		route.Page("/summaries/:id/preview/attached.xlsx", access.MayExport, s.PreviewedFile).DescribeFile("The workbook attached to the preview of a summary.", route.NoParams, "date"),
		route.Private("/summaries/:id/send", access.MayEdit, s.SendReview),
		route.Post("/summaries/:id/send", access.MayEdit, s.SendNow),
		route.Post("/summaries/:id/test", access.MayEdit, s.SendTest),
		route.Page("/channels", access.MayRead, s.ChannelList),
		route.Proven("/channels", access.MayEdit, s.AddChannel),
		route.Post("/channels/:id/test", access.MayEdit, s.TestChannel),
		route.Post("/channels/:id/pause", access.MayEdit, s.PauseChannel),
		route.Post("/channels/:id/resume", access.MayEdit, s.PauseChannel),
		route.Proven("/channels/:id/rotate", access.MayEdit, s.RotateChannel),
		route.Post("/channels/:id/remove", access.MayEdit, s.RemoveChannel),
		route.Private("/unsubscribe/:token", route.Holder, s.UnsubscribePage).Open(),
		route.Post("/unsubscribe/:token", route.Holder, s.Unsubscribe).Open(),
	})
}

// subscriptions are the forms of one kind of subscription, below its list.
func (s *Area) subscriptions(list string) []route.Route {
	return []route.Route{
		route.Private(list+"/new", access.MayEdit, s.New),
		route.Post(list, access.MayEdit, s.Save),
		route.Private(list+"/:id", access.MayEdit, s.Edit),
		route.Post(list+"/:id", access.MayEdit, s.Save),
		route.Post(list+"/:id/pause", access.MayEdit, s.Pause),
		route.Post(list+"/:id/resume", access.MayEdit, s.Pause),
		route.Post(list+"/:id/remove", access.MayEdit, s.Remove),
	}
}
