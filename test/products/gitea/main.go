// Gitea's captcha package, as its registration asks it, with the settings of an app.ini. The page is that of
// templates/user/auth/captcha.tmpl and web_src/js/features/captcha.ts, since Gitea's frontend is in no registry.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"code.gitea.io/gitea/modules/recaptcha"
	"code.gitea.io/gitea/modules/setting"
)

const appIni = `[service]
ENABLE_CAPTCHA = true
CAPTCHA_TYPE = recaptcha
RECAPTCHA_URL = %s/recaptcha
RECAPTCHA_SITEKEY = %s
RECAPTCHA_SECRET = %s
`

const page = `<!doctype html><title>Register</title><form method="post">
<div id="captcha" data-captcha-type="g-recaptcha" data-sitekey="%s"></div><button>Send</button></form>
<script src="%s/api.js"></script>
<script>
const captchaEl = document.querySelector('#captcha')
grecaptcha.ready(() => grecaptcha.render(captchaEl, { sitekey: captchaEl.getAttribute('data-sitekey'), theme: 'light' }))
</script>`

func register(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/html")
		url := strings.TrimSuffix(setting.Service.RecaptchaURL, "/")
		fmt.Fprintf(w, page, setting.Service.RecaptchaSitekey, url)
		return
	}
	valid, err := recaptcha.Verify(r.Context(), r.FormValue("g-recaptcha-response"))
	if err != nil || !valid {
		http.Error(w, "refused", http.StatusUnprocessableEntity)
		return
	}
	fmt.Fprint(w, "accepted")
}

func main() {
	folder, err := os.MkdirTemp("", "hv-gitea-")
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(folder, "app.ini")
	text := fmt.Sprintf(appIni, os.Getenv("HV_ORIGIN"), os.Getenv("HV_SITEKEY"), os.Getenv("HV_SECRET"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	setting.InitCfgProvider(file)
	setting.LoadSettingsForInstall()
	os.RemoveAll(folder)
	http.HandleFunc("/gitea", register)
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening")
	log.Fatal(http.Serve(listener, nil))
}
