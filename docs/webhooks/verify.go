// Package webhooks receives deliveries of the Hosting Control API.
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// Verify reports whether a delivery is genuine. The body is the raw one, as received, the header the value
// of Service-Signature. Usually there is one secret, with its whsec_; any of them may match.
func Verify(body []byte, header string, secrets []string, now time.Time) bool {
	var times, signatures []string
	for _, item := range strings.Split(header, ",") {
		switch name, value, _ := strings.Cut(item, "="); name {
		case "t":
			times = append(times, value)
		case "v1":
			signatures = append(signatures, value)
		}
	}
	if len(times) != 1 {
		return false
	}
	seconds, err := strconv.ParseUint(times[0], 10, 63)
	if err != nil {
		return false
	}
	age := now.Unix() - int64(seconds)
	if age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	for _, secret := range secrets {
		if secret == "" {
			continue // An unset variable would be a secret that everybody knows.
		}
		expected := sign(times[0], body, secret)
		for _, signature := range signatures {
			if hmac.Equal(expected, []byte(signature)) {
				return true
			}
		}
	}
	return false
}

func sign(t string, body []byte, secret string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return []byte(hex.EncodeToString(mac.Sum(nil)))
}
