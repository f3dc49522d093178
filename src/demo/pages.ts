import type { Verification } from '@human-verification/client'
import { type DecisionRecord, formatLogOdds } from '../score/decision-record.ts'
import { RULES } from '../score/rules.ts'
import { DEMO_SITEKEY } from './credentials.ts'

/** What the form protects; the handler expects the same. */
export const DEMO_ACTION = 'sign-up'

/** All that the widget needs of a strict page: its script, its two requests, and a worker. */
export const contentSecurityPolicy = (serviceUrl: string): string =>
  `default-src 'none'; script-src ${serviceUrl} 'self'; connect-src ${serviceUrl} 'self'; worker-src blob:; style-src 'self'; ` +
  `img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const page = (title: string, main: string, head = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Harbour Tea</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
${head}
</head>
<body>
<main>
<p class="brand">Harbour Tea</p>
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`

/** The protected form: a script and an element for the widget, everything else is the customer's own page. */
export const formPage = (serviceUrl: string, more: string): string =>
  page(
    'Create your account',
    `<p class="lead">A demonstration: sign up with anything you like, nothing is kept.</p>
<form method="post" action="/sign-up">
  <label for="name">Name</label>
  <input id="name" name="name" autocomplete="name" required>
  <label for="email">Email</label>
  <input id="email" name="email" type="email" autocomplete="email" required>
  <div class="svc-captcha" data-sitekey="${DEMO_SITEKEY}" data-action="${DEMO_ACTION}" data-size="flexible" data-api-base="${serviceUrl}/"></div>
  <noscript><p>This form needs JavaScript, to tell people from programs. Without it, write to our support desk.</p></noscript>
  <button>Sign up</button>
</form>
<p><button type="button" id="call">Call an API without the form</button><br><output id="answer"></output></p>
<p class="note">Your browser does a little work and measures how the page is used. No puzzle, no cookie, no third party. The
next page shows the score, and every rule that counted.</p>
${more}`,
    `<script src="${serviceUrl}/assets/captcha.js?v=1" defer></script>
<script src="/call.js" defer></script>`,
  )

/** What a stranger may try against a demonstration in public. */
export const SCRIPTS = (url: string): string => `<section aria-label="Try a script">
<h2>Try a script</h2>
<p>This service is here to be tried. A program without a token is refused, and told why:</p>
<pre tabindex="0">curl -s ${url}/sign-up -d name=Ada -d email=ada@example.com</pre>
<p>A driven browser gets a token, and its score is too low. Playwright:</p>
<pre tabindex="0">const page = await (await require('playwright').chromium.launch()).newPage(); await page.goto('${url}/')
await page.fill('#name', 'Ada'); await page.fill('#email', 'ada@example.com'); await page.click('form button')
await page.waitForURL('**/sign-up'); await page.screenshot({ path: 'refused.png' })</pre>
<p class="note">Nothing you enter is kept. The last hundred decisions are remembered for ten minutes, in memory, to show them to you;
what counts tokens and work ends by itself within half an hour. An address may send 30 forms a minute.</p>
</section>`

/** The same for a program that reads no page. */
export function resultText(
  verification: Verification,
  decision: DecisionRecord | undefined,
): string {
  const parts = decision?.contributions.map(
    ({ name, value }) => `  ${name} ${formatLogOdds(value)}`,
  )
  const lines = verification.accepted
    ? [`accepted, score ${verification.score}`]
    : [
        `refused by the rule "${verification.rule}": ${verification.codes.join(', ') || 'no token was sent'}`,
        ...(verification.lowScore ? [`score ${verification.lowScore.score}`] : []),
      ]
  return [...lines, ...(parts ?? []), ''].join('\n')
}

/** What the button does: a request with a token in its header. */
export const CALL = `document.getElementById('call').addEventListener('click', async () => {
  const answer = document.getElementById('answer')
  answer.value = 'Calling…'
  const response = await svcCaptcha.fetch('/api/tea', { method: 'POST' }).catch(() => undefined)
  const { tea, error } = response ? await response.json() : { error: 'No token could be obtained.' }
  answer.value = tea ?? error
})
`

function wordsOf(verification: Verification): readonly [title: string, lead: string] {
  if (verification.accepted)
    return [
      'Welcome aboard',
      'The server asked the service, all seven rules held, and the account was made.',
    ]
  if (verification.retryable)
    return ['Back in a moment', 'This is temporarily unavailable. Please try again in a moment.']
  if (verification.rule === 'fresh')
    return [
      'The same token again',
      `Refused with ${verification.codes.join(', ')}: a token is accepted at most once.`,
    ]
  return ['That did not work', 'We could not process your request. Please try again.']
}

/**
 * What came of it. A real site shows a visitor only the neutral sentence; the rest is for learning.
 *
 * @param again how \`curl\` sends the token once more: all but the token.
 */
export function resultPage(
  verification: Verification,
  token: string,
  decision: DecisionRecord | undefined,
  again: string,
): string {
  const facts = verification.accepted
    ? {
        score: verification.score,
        hostname: verification.hostname,
        action: verification.action,
        challenge_ts: verification.challengeTs,
      }
    : {
        'failed rule': verification.rule,
        'error-codes': verification.codes.join(', ') || '(none)',
        ...(verification.lowScore && { score: verification.lowScore.score }),
      }
  const rows = Object.entries({ ...facts, ...(decision && { threshold: decision.threshold }) }).map(
    ([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(String(value))}</dd>`,
  )
  const [title, lead] = wordsOf(verification)
  const isLow = !verification.accepted && verification.rule === 'score'
  return page(
    title,
    `<p class="lead" role="status" data-outcome="${verification.accepted ? 'accepted' : 'refused'}">${lead}</p>
${isLow ? HELP : ''}
<section aria-label="For learning">
<h2>What the server saw</h2>
<dl>${rows.join('')}</dl>
${decision ? partsOf(decision) : ''}
${token === '' ? '' : replayForm(token, again)}
</section>
<p><a href="/">Back to the form</a></p>`,
  )
}

/** How to go on when the score was too low; the developer who tries this is the visitor who meets it first. */
const HELP = `<p><a href="/">Send the form again</a>: it may ask you to confirm, with one button and no puzzle.</p>
<p>Open developer tools lower the score, because bots also have them open; driven browsers (Playwright, Selenium) are refused. To
test with tools open, use <code>hv test-server</code>, or set <code>score_threshold: 0</code> for a site of your own.</p>`

/** What a score was made of. */
function partsOf({ contributions, reasons }: DecisionRecord): string {
  const rows = contributions.map(({ name, value }) => {
    const why = RULES.find((rule) => rule.name === name)?.evidence ?? ''
    return `<li><code>${escapeHtml(name)}</code> <strong>${formatLogOdds(value)}</strong> ${escapeHtml(why).replaceAll(/`(.+?)`/g, '<code>$1</code>')}</li>`
  })
  return `<h2>What the score was made of</h2>
<p>Reasons: ${escapeHtml(reasons.join(', ')) || 'none'}. Values are log-odds: +0.70 doubles the odds that the visitor is a person, −0.70
halves them. A real site never shows this.</p>
<ul>${rows.join('')}</ul>`
}

/** Sends a consumed token once more. */
const replayForm = (token: string, again: string): string => `<h2>Use the same token again</h2>
<p>Here, or in a terminal as your server would:</p>
<pre tabindex="0">curl -s ${again}${escapeHtml(token)}</pre>
<form method="post" action="/again">
<input type="hidden" name="svc-response" value="${escapeHtml(token)}">
<button>Send the same token again</button>
</form>`

export const STYLE = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2430, #e8ebf0); --soft: light-dark(#5a6575, #a3adbb); --page: light-dark(#f3f1ec, #14181f);
  --card: light-dark(#fff, #1d232c); --line: light-dark(#c9cdd4, #3d4653); --brand: light-dark(#0b6e4f, #4cc79a);
  font: 1rem/1.5 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--page); }
main { max-width: 30rem; margin: 6vh auto; padding: clamp(1rem, 5vw, 2rem); background: var(--card); border-radius: .9rem; box-shadow: 0 1px 3px #0002, 0 8px 30px #0001; }
.brand { margin: 0; font-weight: 600; color: var(--brand); letter-spacing: .02em; }
h1 { margin: .25rem 0; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
.lead { margin: 0 0 1.25rem; color: var(--soft); }
.note { font-size: .9rem; color: var(--soft); }
form { display: grid; grid-template-columns: minmax(0, 1fr); gap: .35rem; }
label { font-weight: 500; }
input { font: inherit; padding: .6rem .7rem; margin-bottom: .7rem; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .5rem; }
button { font: inherit; font-weight: 600; margin-top: .9rem; padding: .7rem 1rem; color: light-dark(#fff, #08130e); background: var(--brand); border: 1px solid transparent; border-radius: .5rem; cursor: pointer; }
:is(input, button, a):focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
a { color: var(--brand); }
dl { display: grid; grid-template-columns: fit-content(50%) 1fr; gap: .2rem 1rem; margin: 0; }
pre { max-height: 8rem; overflow-y: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: 0; padding-left: 1.1rem; font-size: .9rem; }
`
