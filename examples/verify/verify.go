// Package verify verifies response tokens by all seven validation rules, with the standard library.
package verify

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Options describe the form. RemoteIP and Threshold may be left out.
type Options struct {
	URL, Secret, Action string
	Hostnames           []string
	RemoteIP            string
	Threshold           float64       // 0 to 1, stricter than the site's own
	Timeout             time.Duration // for the whole exchange: 3 seconds are enough
}

var (
	ruleOf = map[string]string{
		"timeout-or-duplicate": "fresh", "action-mismatch": "action", "low-score": "score",
	}
	moment = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`)
	client = http.Client{CheckRedirect: noRedirect} // takes HTTPS_PROXY from the environment
)

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Verify returns "accepted" or the rule that failed. It refuses whatever is uncertain.
func Verify(response string, o Options) string {
	base, err := url.Parse(o.URL)
	switch {
	case err != nil, base.Scheme != "http" && base.Scheme != "https", base.Host == "",
		o.Secret == "", o.Action == "", len(o.Hostnames) == 0, slices.Contains(o.Hostnames, ""),
		!(o.Threshold >= 0 && o.Threshold <= 1), o.Timeout <= 0, o.Timeout > time.Minute:
		return "options"
	case response == "", len(response) > 2048:
		return "response"
	}
	form := url.Values{
		"secret": {o.Secret}, "response": {response}, "action": {o.Action},
		"remoteip": {o.RemoteIP}, "idempotency_key": {uuid()},
	}
	address, ends := base.JoinPath("api/v1/siteverify").String(), time.Now().Add(o.Timeout)
	// A lost answer is asked for once more: the key tells the service that it is the same question.
	for try := 0; try < 2 && time.Now().Before(ends); try++ {
		status, body, err := ask(address, form, time.Until(ends))
		switch {
		case err == nil && status == http.StatusOK:
			return judge(body, o)
		case err == nil:
			return "status"
		}
	}
	return "transport"
}

func ask(address string, form url.Values, left time.Duration) (int, []byte, error) {
	timed := client
	timed.Timeout = left // reading the body included
	answer, err := timed.PostForm(address, form)
	if err != nil {
		return 0, nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, answer.Body, 65536))
	answer.Body.Close()
	return answer.StatusCode, body, err
}

// judge applies the rules in order. A map and not a struct: a struct's fields ignore case.
func judge(body []byte, o Options) string {
	var answer map[string]any
	if json.Unmarshal(body, &answer) != nil || answer == nil {
		return "shape"
	}
	codes, isList := answer["error-codes"].([]any)
	if answer["success"] != true {
		for _, code := range codes {
			if name, _ := code.(string); ruleOf[name] != "" {
				return ruleOf[name]
			}
		}
		return "success"
	}
	if !isList || len(codes) > 0 {
		return "error-codes"
	}
	if answer["action"] != o.Action {
		return "action"
	}
	hostname, _ := answer["hostname"].(string)
	isOurs := func(own string) bool { return strings.EqualFold(own, hostname) }
	if !slices.ContainsFunc(o.Hostnames, isOurs) {
		return "hostname"
	}
	score, isScore := answer["score"].(float64)
	least, isLeast := answer["score_threshold"].(float64)
	if !isScore || !isLeast || least < 0 || score < least || score < o.Threshold || score > 1 {
		return "score"
	}
	if at, _ := answer["challenge_ts"].(string); !moment.MatchString(at) {
		return "shape"
	}
	return "accepted"
}

// uuid is a random UUID, version 4: RFC 9562.
func uuid() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
