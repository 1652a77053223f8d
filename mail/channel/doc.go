// Package channel knows the receivers of messages besides mail: webhooks of the Standard Webhooks
// specification, bots of Telegram, and incoming webhooks of Slack and Discord. It reads their
// addresses, writes requests, and judges answers. It keeps nothing and sends nothing.
package channel
