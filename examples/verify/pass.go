// Makes a pass: you vouch for one visitor, who then needs no score. Standard library only. Protocol: README.md beside this.
package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var isAction = regexp.MustCompile(`\A[A-Za-z0-9_\-/.]{1,64}\z`)
var isHostname = regexp.MustCompile(`\A[A-Za-z0-9_.\-]{1,253}\z`)

// Pass says whom you vouch for, and how long.
type Pass struct {
	Secret, Action, Hostname string
	Minutes                  int       // 1 to 1,440
	Now                      time.Time // zero: the clock's
	ID                       string    // empty: random
}

type claims struct {
	Action   string `json:"act"`
	Hostname string `json:"hst"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
	ID       string `json:"jti"`
}

// MakePass returns a pass, made offline, or an error that names what is missing or wrong.
func MakePass(pass Pass) (string, error) {
	switch {
	case pass.Secret == "":
		return "", errors.New("secret")
	case !isAction.MatchString(pass.Action):
		return "", errors.New("action")
	case !isHostname.MatchString(pass.Hostname):
		return "", errors.New("hostname")
	case pass.Minutes < 1 || pass.Minutes > 1440:
		return "", errors.New("minutes")
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return "", err
	}
	if pass.ID == "" {
		pass.ID = base64url(id)
	}
	if pass.Now.IsZero() {
		pass.Now = time.Now()
	}
	issued := pass.Now.Unix()
	told, err := json.Marshal(claims{pass.Action, strings.ToLower(pass.Hostname), issued, issued + int64(pass.Minutes)*60, pass.ID})
	if err != nil {
		return "", err
	}
	signed := base64url([]byte(`{"alg":"HS256","typ":"hv-pass+jwt"}`)) + "." + base64url(told)
	return signed + "." + base64url(sha256HMAC(keyOf(pass.Secret), []byte(signed))), nil
}

// HKDF-SHA-256 (RFC 5869) of the secret's hash, without a salt: the service holds that hash.
func keyOf(secret string) []byte {
	hash := sha256.Sum256([]byte(secret))
	prk := sha256HMAC(make([]byte, 32), hash[:])
	return sha256HMAC(prk, []byte("human-verification/1/pass\x01"))
}

func sha256HMAC(key, message []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return mac.Sum(nil)
}

func base64url(bytes []byte) string { return base64.RawURLEncoding.EncodeToString(bytes) }

func main() {
	minutes := 30
	if text := os.Getenv("HV_MINUTES"); text != "" {
		minutes, _ = strconv.Atoi(text)
	}
	var now time.Time
	if seconds, err := strconv.ParseInt(os.Getenv("HV_NOW"), 10, 64); err == nil {
		now = time.Unix(seconds, 0)
	}
	made, err := MakePass(Pass{
		Secret: os.Getenv("HV_SECRET"), Action: os.Getenv("HV_ACTION"), Hostname: os.Getenv("HV_HOSTNAME"),
		Minutes: minutes, Now: now, ID: os.Getenv("HV_ID"),
	})
	if err != nil {
		fmt.Println("options")
		os.Exit(1)
	}
	fmt.Println(made)
}
