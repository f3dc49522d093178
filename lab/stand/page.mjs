import { ACTION, SILENT, SITEKEY } from './service.mjs'

/** The customer's page: an ordinary sign-up form, and two lines for the widget. */
export const formPage = (service) =>
  signUpPage({ head: script(service), box: widget(service), field: 'svc-response' })

/** The same form with any widget: what stands in the head, what in the form, and the field that carries the token. */
export const signUpPage = ({ head, box, field }) =>
  page(
    'Sign up · Harbour Tea',
    `<h1>Create your account</h1>
<p>Fresh leaves every month. Cancel whenever you like. <a id="about" href="/about">About us</a></p>
<form method="post" action="/sign-up" data-token="${field}">
  <label for="name">Name</label>
  <input id="name" name="name" autocomplete="name" required>
  <label for="email">Email</label>
  <input id="email" name="email" type="email" autocomplete="email" required>
  <label for="comment">How did you hear of us?</label>
  <textarea id="comment" name="comment" rows="3"></textarea>
  <p class="line"><input id="terms" name="terms" type="checkbox" required> <label for="terms">I agree to the terms</label></p>
  ${box}
  <button id="send">Sign up</button>
</form>`,
    head,
  )

/** A form of one button; the same handler takes it. */
export const votePage = (service) =>
  page(
    'Vote · Harbour Tea',
    `<h1>Tea of the year</h1>
<p>Sencha from Uji leads. Do you agree?</p>
<form method="post" action="/sign-up">
  ${widget(service)}
  <button id="send">Vote</button>
</form>`,
    script(service),
  )

/** A page without a form, which asks for a token when it is loaded, or with `?key` when a key was pressed. */
export const silentPage = (service) =>
  page(
    'Prices · Harbour Tea',
    `<h1>Prices</h1><p>Sencha 9, Gyokuro 21.</p>
${widget(service, SILENT)}
<script type="module">
  const send = async () => fetch('/silent-check', { method: 'POST', body: new URLSearchParams({ 'svc-response': await svcCaptcha.execute() }) })
  if (location.search) addEventListener('keyup', send, { once: true })
  else await send()
</script>`,
    script(service),
  )

export const aboutPage = () =>
  page(
    'About · Harbour Tea',
    '<h1>About us</h1><p>Three people and a kettle, since 1998.</p><p><a id="back" href="/">Sign up</a> <a id="prices" href="/silent">Prices</a></p>',
  )

/** Another form of the same customer's, which nothing protects. */
export const newsletterPage = () =>
  page(
    'Newsletter · Harbour Tea',
    `<h1>Our newsletter</h1>
<form method="post" action="/newsletter">
  <label for="name">Name</label>
  <input id="name" name="name" autocomplete="name">
  <label for="email">Email</label>
  <input id="email" name="email" type="email" autocomplete="email">
  <button id="send">Subscribe</button>
</form>`,
  )

/** What a person reads either way; the verdict is the customer's alone. */
export const thanksPage = () =>
  page(
    'Thank you · Harbour Tea',
    '<h1>Thank you</h1><p>We have received your form. <a id="home" href="/">Sign up</a></p>',
  )

const widget = (service, action = ACTION) =>
  `<div class="svc-captcha" data-sitekey="${SITEKEY}" data-action="${action}" data-api-base="${service}/"></div>`
const script = (service) => `<script src="${service}/assets/captcha.js?v=1" defer></script>`

const page = (title, main, head = '') => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<script src="/layout.js" defer></script>
${head}
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`

export const STYLE = `body { margin: 0; font: 16px/1.5 sans-serif; background: #f3f1ec; color: #1c2430; }
main { max-width: 34rem; margin: 3vh auto; padding: 1.5rem 2rem; background: #fff; border-radius: 12px; }
h1 { margin: 0 0 .3rem; font-size: 1.5rem; }
p { margin: 0 0 .8rem; }
form { display: grid; gap: .3rem; }
input:not([type]), input[type=email], textarea { font: inherit; padding: .5rem .6rem; margin-bottom: .5rem; border: 1px solid #c9cdd4; border-radius: 6px; }
.line { margin: .2rem 0 .6rem; }
button { font: inherit; font-weight: 600; margin-top: .7rem; padding: .6rem 1rem; color: #fff; background: #0b6e4f; border: 0; border-radius: 6px; }
@media (prefers-color-scheme: dark) { body { background: #14181f; color: #e8ebf0; } main { background: #1d232c; } input, textarea { background: #14181f; color: inherit; } }
`

/**
 * The customer's own measurement, as shops have: tells its server where things are on the page and on the screen. By it
 * the simulated hand knows where to go, without anything attached to the browser.
 */
export const LAYOUT_SCRIPT = `addEventListener('load', function () {
  var timer
  function tell() {
    var places = {}
    document.querySelectorAll('[id]').forEach(function (element) {
      var box = element.getBoundingClientRect()
      places[element.id] = [box.left, box.top, box.width, box.height]
    })
    tellOf('step', step())
    if (window.captchaBox) tellOf(captchaBox.id, captchaBox.element())
    function tellOf(id, element) {
      var box = element && element.getBoundingClientRect()
      if (box) places[id] = [box.left, box.top, box.width, box.height]
    }
    fetch('/layout', { method: 'POST', body: JSON.stringify({
      path: location.pathname, places: places, ratio: devicePixelRatio, agent: navigator.userAgent,
      outer: [screenX, screenY, outerWidth, outerHeight], inner: [innerWidth, innerHeight],
      mozInner: window.mozInnerScreenX === undefined ? null : [mozInnerScreenX, mozInnerScreenY],
      active: active(), focused: document.hasFocus(), ready: ready(),
      lengths: Array.from(document.querySelectorAll('input, textarea'), function (field) { return field.value.length })
    }) }).catch(function () {})
  }
  // The button of the step, once it takes a press, as somebody sees it.
  function step() {
    var box = document.querySelector('.svc-captcha')?.shadowRoot?.querySelector('svc-captcha-box')
    return box?.shadowRoot?.querySelector('.asking .retry:not([aria-disabled=true])')
  }
  function active() {
    var at = document.activeElement, id = at && at.id
    while (at && at.shadowRoot && at.shadowRoot.activeElement) {
      at = at.shadowRoot.activeElement
      id = at.id || id
    }
    return at && (at === step() ? 'step' : id)
  }
  // Whether the form has its token.
  function ready() {
    var form = document.querySelector('form[data-token]')
    return !!form?.querySelector('[name=' + form.dataset.token + ']')?.value
  }
  function place() { return [screenX, screenY, outerWidth, outerHeight, innerWidth, innerHeight, !!step(), ready()].join() }
  function soon() { clearTimeout(timer); timer = setTimeout(tell, 120) }
  tell()
  // A window that is moved makes no event, and neither does a button that begins to take a press.
  var placed = place()
  setInterval(function () { if (place() !== placed) { placed = place(); tell() } }, 300)
  for (var name of ['resize', 'scroll', 'focusin', 'input', 'pageshow']) addEventListener(name, soon)
  if (window.ResizeObserver) new ResizeObserver(soon).observe(document.documentElement)
})
`
