package signin

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"

	"github.com/pquerna/otp"
)

// qrSize is the edge of the picture in pixels: sharp on dense screens at half the size.
const qrSize = 400

// qrCode draws the picture that an authenticator scans, as a data address: no other
// service gets to see the secret.
func qrCode(uri string) (string, error) {
	key, err := otp.NewKeyFromURL(uri)
	if err != nil {
		return "", fmt.Errorf("the address for authenticators: %w", err)
	}
	picture, err := key.Image(qrSize, qrSize)
	if err != nil {
		return "", fmt.Errorf("drawing the QR code: %w", err)
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, picture); err != nil {
		return "", fmt.Errorf("encoding the QR code: %w", err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(encoded.Bytes()), nil
}
