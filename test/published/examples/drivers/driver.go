package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	verify "recipes/verify"
)

func main() {
	calls := bufio.NewReader(os.Stdin)
	for {
		line, err := calls.ReadBytes('\n')
		if err != nil {
			return
		}
		var call struct {
			URL, Secret, Action, RemoteIP, Response string
			Hostnames                               []string
			Threshold, Timeout                      string
		}
		if err := json.Unmarshal(line, &call); err != nil {
			panic(err)
		}
		fmt.Println(verify.Verify(call.Response, verify.Options{
			URL: call.URL, Secret: call.Secret, Action: call.Action, Hostnames: call.Hostnames,
			RemoteIP: call.RemoteIP, Threshold: number(call.Threshold),
			Timeout: time.Duration(number(call.Timeout) * float64(time.Second)),
		}))
	}
}

func number(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return value
}
