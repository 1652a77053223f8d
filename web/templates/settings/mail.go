package settings

import (
	"strconv"

	"rebatedesk/mail"
	"rebatedesk/store/outbox"
	"rebatedesk/web/admin"
	"rebatedesk/web/templates/ui"
)

// MailServerPath is the page of the mail server.
const MailServerPath = "/settings/mail"

// MailServerView is the page of the mail server.
type MailServerView struct {
	Settings
	Setup    bool // it is a step of the setup
	State    mail.ServerState
	Provider Provider // whose values were filled in
	New      ui.Form
	To       string // of a test
	Test     ui.Form
	Tested   *admin.AccountCheck // nil: no test was sent just now
}

// there reports whether mail can be sent.
func (v MailServerView) there() bool { return v.State.Server.Host != "" }

// MailServerFields returns what can be changed of the mail server, by [MailServerLabels]. The password is
// not among them.
func MailServerFields(m outbox.EnteredServer) map[string]string {
	port := ""
	if m.Port != 0 {
		port = strconv.Itoa(m.Port)
	}
	return map[string]string{"version": ui.VersionText(m.Updated), "host": m.Host, "port": port, "security": m.Security, "user": m.User, "from": m.From, "hello": m.Hello}
}

// MailServerLabels name what can be changed of the mail server.
var MailServerLabels = ui.Pairs("Server", "host", "Port", "port", "Encryption", "security", "User", "user", "Sender", "from", "Name in greetings", "hello")

// securityWords explain the ways of encryption.
var securityWords = ui.Pairs("STARTTLS, as port 587 has it", "mandatory", "From the first byte, as port 465 has it", mail.Implicit,
	"STARTTLS if offered", "opportunistic", "None: a mail server on this machine", "none")

// encryptionWords says how a server is reached.
func encryptionWords(v mail.ServerState) string {
	used := v.Server.TLS
	if v.Server.Implicit {
		used = mail.Implicit
	}
	for _, one := range securityWords {
		if one.Value == used {
			return one.Name
		}
	}
	return used
}

// Provider is a mail provider with the public address of its mail server.
type Provider struct {
	Name     string // in addresses
	Label    string
	Host     string
	Port     int
	Security string
	User     string // if it is the same for everybody
	Note     string // which user and password it wants
}

const appPassword = "The user is your mail address. The password is not the usual one: create an app password in the security settings of your account."

// Providers are those whose values can be filled in.
var Providers = []Provider{
	{"gmail", "Gmail, Google Workspace", "smtp.gmail.com", 587, "mandatory", "", appPassword + " It needs 2-step verification."},
	{"microsoft365", "Microsoft 365", "smtp.office365.com", 587, "mandatory", "", "The user is the address of a mailbox for which an administrator of Microsoft 365 has allowed “Authenticated SMTP”."},
	{"ses", "Amazon SES", "email-smtp.us-east-1.amazonaws.com", 587, "mandatory", "", "Put your region into the name of the server. User and password are SMTP credentials, created under SMTP settings; they are not an access key."},
	{"mailgun", "Mailgun", "smtp.mailgun.org", 587, "mandatory", "", "In the EU the server is smtp.eu.mailgun.org. User and password are SMTP credentials of your domain."},
	{"sendgrid", "SendGrid", "smtp.sendgrid.net", 587, "mandatory", "apikey", "The user is the word apikey, and the password is an API key that may send mail."},
	{"postmark", "Postmark", "smtp.postmarkapp.com", 587, "mandatory", "", "User and password are both the server API token."},
	{"fastmail", "Fastmail", "smtp.fastmail.com", 465, mail.Implicit, "", appPassword},
	{"brevo", "Brevo", "smtp-relay.brevo.com", 587, "mandatory", "", "User and password are on the page SMTP & API; the password is an SMTP key."},
	{"mailjet", "Mailjet", "in-v3.mailjet.com", 587, "mandatory", "", "The user is the API key, and the password its secret key."},
	{"resend", "Resend", "smtp.resend.com", 465, mail.Implicit, "resend", "The user is the word resend, and the password is an API key."},
	{"icloud", "iCloud", "smtp.mail.me.com", 587, "mandatory", "", appPassword},
	{"yahoo", "Yahoo Mail", "smtp.mail.yahoo.com", 465, mail.Implicit, "", appPassword},
	{"zoho", "Zoho Mail", "smtp.zoho.com", 465, mail.Implicit, "", appPassword + " In the EU the server is smtp.zoho.eu."},
	{"local", "A mail server on this machine", "127.0.0.1", 25, "none", "", ""},
}

// ProviderNamed returns a provider; without a name there is none.
func ProviderNamed(name string) Provider {
	for _, p := range Providers {
		if p.Name == name {
			return p
		}
	}
	return Provider{}
}

// Fill puts the values of the provider into a form.
func (p Provider) Fill(values map[string]string) {
	if p.Name != "" {
		values["host"], values["port"], values["security"], values["user"] = p.Host, strconv.Itoa(p.Port), p.Security, p.User
	}
}
