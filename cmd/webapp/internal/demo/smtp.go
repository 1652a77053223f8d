package demo

import (
	"errors"
	"io"
	"log"
	"net"
	"net/mail"
	"time"

	"rebatedesk/cmd/webapp/internal/config"

	"github.com/emersion/go-smtp"
)

// SMTPServer is the demo's mail server. It listens on this machine only and
// delivers nothing: messages are read on the page of summaries.
type SMTPServer struct {
	listener net.Listener
	server   *smtp.Server
	served   chan error
}

// Limits of the demo's mail server.
const (
	maxMessage  = 25 << 20 // bytes
	smtpTimeout = 30 * time.Second
)

// sender is the From address of the demo's mails.
var sender = &mail.Address{Name: "Rebatedesk demo", Address: "reports@demo.example.com"}

func OpenSMTP() (*SMTPServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	smtpServer := &SMTPServer{listener: listener, served: make(chan error, 1)}
	smtpServer.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return sink{}, nil }))
	smtpServer.server.Domain, smtpServer.server.MaxMessageBytes, smtpServer.server.MaxRecipients = "demo.example.com", maxMessage, 1
	smtpServer.server.ReadTimeout, smtpServer.server.WriteTimeout = smtpTimeout, smtpTimeout
	smtpServer.server.ErrorLog = log.New(io.Discard, "", 0) // the delivery log says the same
	go func() { smtpServer.served <- smtpServer.server.Serve(listener) }()
	return smtpServer, nil
}

// Settings returns the mail settings that lead to the server.
func (o *SMTPServer) Settings() config.MailSettings {
	c := config.MailSettings{From: sender, Server: config.SMTP{Host: "127.0.0.1", TLS: "none"}}
	if address, ok := o.listener.Addr().(*net.TCPAddr); ok {
		c.Server.Port = address.Port
	}
	return c
}

// Close closes the server and all its connections.
func (o *SMTPServer) Close() error {
	err := o.server.Close()
	if served := <-o.served; !errors.Is(served, smtp.ErrServerClosed) && !errors.Is(served, net.ErrClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// sink accepts every message of one connection.
type sink struct{}

func (sink) Mail(string, *smtp.MailOptions) error { return nil }
func (sink) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (sink) Reset()                               {}
func (sink) Logout() error                        { return nil }

// Data reads the message to its end. Its answer appears in the delivery log.
func (sink) Data(r io.Reader) error {
	content, err := mail.ReadMessage(r)
	if err == nil {
		_, err = io.Copy(io.Discard, content.Body)
	}
	if err != nil {
		return err
	}
	return &smtp.SMTPError{Code: 250, EnhancedCode: smtp.EnhancedCode{2, 0, 0}, Message: "Kept by the mail server of the demo, which sends nothing"}
}
