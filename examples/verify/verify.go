// Verifies a response token by every rule of the specification; standard library only. Protocol: README.md beside this.
package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var ruleOf = map[string]string{"timeout-or-duplicate": "fresh", "action-mismatch": "action", "low-score": "score"}
var timestamp = regexp.MustCompile(`\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\z`)

// Site is what a handler knows beforehand.
type Site struct {
	URL, Secret, Action string
	Hostnames           []string
	Threshold           float64 // 0 to 1: stricter than the site's own
	RemoteIP            string  // empty: not sent
	Timeout             time.Duration
}

// Verify returns "accepted" or the rule that failed. It refuses whatever is uncertain.
func Verify(response string, site Site) string {
	base, err := url.Parse(site.URL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return "options"
	}
	if site.Secret == "" || site.Action == "" || len(site.Hostnames) == 0 {
		return "options"
	}
	if !(site.Threshold >= 0 && site.Threshold <= 1) || site.Timeout <= 0 || site.Timeout > time.Minute {
		return "options"
	}
	if response == "" || len(response) > 2048 {
		return "response"
	}
	fields := url.Values{"secret": {site.Secret}, "response": {response}, "action": {site.Action}, "idempotency_key": {uuid()}}
	if site.RemoteIP != "" {
		fields.Set("remoteip", site.RemoteIP)
	}
	address, ends := base.JoinPath("api/v1/siteverify").String(), time.Now().Add(site.Timeout)
	status, body, err := ask(address, fields, site.Timeout)
	// Once more when the answer was lost on the way: the key tells the service that it is the same question.
	if left := time.Until(ends); err != nil && left > 0 {
		status, body, err = ask(address, fields, left)
	}
	if err != nil || len(body) > 65536 {
		return "transport"
	}
	if status != http.StatusOK {
		return "status"
	}
	return judge(body, site)
}

// The time-out covers the whole exchange, the body included; a redirect is an answer like any other.
func ask(address string, fields url.Values, timeout time.Duration) (int, []byte, error) {
	client := &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.PostForm(address, fields)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 65537))
	return answer.StatusCode, body, err
}

// A random UUID, version 4: RFC 9562.
func uuid() string {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		panic(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// The rules in their order. Everything is looked up as `any`, so that a wrong type fails its own rule.
func judge(body []byte, site Site) string {
	var answer map[string]any
	if json.Unmarshal(body, &answer) != nil || answer == nil {
		return "shape"
	}
	codes, isList := answer["error-codes"].([]any)
	if answer["success"] != true {
		for _, code := range codes {
			if text, _ := code.(string); ruleOf[text] != "" {
				return ruleOf[text]
			}
		}
		return "success"
	}
	if !isList || len(codes) > 0 {
		return "error-codes"
	}
	if answer["action"] != site.Action {
		return "action"
	}
	if hostname, ok := answer["hostname"].(string); !ok || !isOwn(hostname, site.Hostnames) {
		return "hostname"
	}
	score, ok := share(answer["score"])
	siteThreshold, also := share(answer["score_threshold"])
	if !ok || !also || score < siteThreshold || score < site.Threshold {
		return "score"
	}
	if at, ok := answer["challenge_ts"].(string); !ok || !timestamp.MatchString(at) {
		return "shape"
	}
	return "accepted"
}

func isOwn(hostname string, hostnames []string) bool {
	for _, own := range hostnames {
		if strings.ToLower(own) == strings.ToLower(hostname) {
			return true
		}
	}
	return false
}

func share(value any) (float64, bool) {
	number, ok := value.(float64)
	return number, ok && number >= 0 && number <= 1
}

func number(name string, standard float64) float64 {
	text := os.Getenv(name)
	if text == "" {
		return standard
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return value
}

func main() {
	response, _ := io.ReadAll(os.Stdin)
	seconds := number("HV_TIMEOUT", 3)
	if !(seconds > 0 && seconds <= 60) {
		seconds = 0
	}
	verdict := Verify(string(response), Site{
		URL: os.Getenv("HV_URL"), Secret: os.Getenv("HV_SECRET"), Action: os.Getenv("HV_ACTION"),
		Hostnames: strings.FieldsFunc(os.Getenv("HV_HOSTNAMES"), func(c rune) bool { return c == ',' }),
		Threshold: number("HV_THRESHOLD", 0), RemoteIP: os.Getenv("HV_REMOTEIP"),
		Timeout: time.Duration(seconds * float64(time.Second)),
	})
	fmt.Println(verdict)
	if verdict != "accepted" {
		os.Exit(1)
	}
}
