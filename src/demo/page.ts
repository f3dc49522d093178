import type { RequestHandler } from 'express'
import type { Scored } from './decisions.ts'

/** What the form protects; the handler expects the same. */
export const DEMO_ACTION = 'sign-up'

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

export type Theme = 'auto' | 'light' | 'dark'

export interface Dress {
  readonly head?: string
  /** Default: that of the system. */
  readonly theme?: Theme
  /** Room for two columns. */
  readonly isWide?: boolean
}

/** A whole page of the demonstration, in its dress. */
export function page(title: string, main: string, { head = '', theme = 'auto', isWide = false }: Dress = {}): string {
  return `<!doctype html>
<html lang="en"${theme === 'auto' ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
${head}
</head>
<body>
<main${isWide ? ' class="wide"' : ''}>
${main}
</main>
</body>
</html>
`
}

/** All that the widget needs of a strict page: its script, its two requests, and a worker. */
export const strictPage =
  (serviceUrl: string): RequestHandler =>
  (_req, res, next) => {
    res.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; script-src ${serviceUrl}; connect-src ${serviceUrl}; worker-src blob:; style-src 'self'; ` +
        `img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    res.setHeader('Referrer-Policy', 'no-referrer')
    next()
  }

export interface DemoForm {
  readonly sitekey: string
  readonly action: string
  /** Where the form goes. */
  readonly post: string
  readonly theme?: Theme
  /** A second button below the first. */
  readonly second?: string
}

/** The protected form: two lines for the widget, everything else is the customer's own page. */
export const formPage = (serviceUrl: string, form: DemoForm): string =>
  page(
    'Sign up · Harbour Tea',
    `<p class="brand">Harbour Tea</p>
<h1>Create your account</h1>
<p class="lead">A demonstration: sign up with anything you like, nothing is kept.</p>
${formOf(serviceUrl, form)}`,
    { head: scriptOf(serviceUrl) },
  )

export const scriptOf = (serviceUrl: string): string =>
  `<script src="${serviceUrl}/assets/captcha.js?v=1" defer></script>`

export const formOf = (
  serviceUrl: string,
  { sitekey, action, post, theme = 'auto', second = '' }: DemoForm,
): string => `<form method="post" action="${post}">
  ${FIELDS}
  <div class="svc-captcha" data-sitekey="${escapeHtml(sitekey)}" data-action="${escapeHtml(action)}" data-size="flexible" data-theme="${theme}" data-api-base="${serviceUrl}/"></div>
  <noscript><p>This form needs JavaScript, to tell people from programs. Without it, <a href="/support">ask our support desk</a>.</p></noscript>
  <button name="plan" value="free">Sign up</button>${second}
</form>`

export const FIELDS = `<label for="name">Name</label>
  <input id="name" name="name" autocomplete="name" required>
  <label for="email">Email</label>
  <input id="email" name="email" type="email" autocomplete="email" required>`

/** How to go on when the score was too low; the evaluating developer is the visitor who meets this first. */
export const TOOLS_HELP = `<p>Open developer tools lower the score, because bots have them open, too; driven browsers (Playwright, Selenium) are
refused. To test with tools open, take the sitekey <code>hv_site_test_pass</code> of <code>hv test-server</code>,
which always passes, or set <code>score_threshold: 0</code> for a site of your own.</p>`

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`

/** What a score was made of. @param wordsFor why a rule counts, by its name. */
export function partsList({ parts }: Scored, wordsFor: (name: string) => string): string {
  const rows = parts.map(
    ({ name, value }) =>
      `<li><code>${escapeHtml(name)}</code> <strong>${signed(value)}</strong> ${escapeHtml(wordsFor(name))}</li>`,
  )
  return `<h2>What the score was made of</h2>
<p>Log-odds: +0.70 doubles the odds that the visitor is a person, −0.70 halves them. A real site never shows this.</p>
<ul>${rows.join('')}</ul>`
}

/** What the support desk gives a visitor whom it vouches for: a form that works without JavaScript, and a link. */
export const supportPage = (pass: string, post: string): string =>
  page(
    'Support desk · Harbour Tea',
    `<p class="brand">Harbour Tea</p>
<h1>We vouch for you</h1>
<p class="lead">A real support desk looks at your case first. Either of these lets you in, once, within ten minutes. A service that has just started
takes it a minute later.</p>
<form method="post" action="${post}">
  ${FIELDS}
  <input type="hidden" name="svc-response" value="${escapeHtml(pass)}">
  <button>Sign up without a check</button>
</form>
<p><a href="/#hv=${escapeHtml(pass)}">The usual form, with the pass in its address</a></p>`,
  )

export const STYLE = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2430, #e8ebf0); --soft: light-dark(#5a6575, #a3adbb); --page: light-dark(#f3f1ec, #14181f);
  --card: light-dark(#fff, #1d232c); --line: light-dark(#c9cdd4, #3d4653); --brand: light-dark(#0b6e4f, #4cc79a);
  font: 1rem/1.5 system-ui, sans-serif;
}
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--page); }
main { max-width: 27rem; margin: 6vh auto; padding: clamp(1rem, 5vw, 2rem); background: var(--card); border-radius: .9rem; box-shadow: 0 1px 3px #0002, 0 8px 30px #0001; }
main.wide { max-width: 62rem; }
.columns { display: grid; gap: 1rem 3rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); align-items: start; }
.top { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; }
.themes { display: flex; gap: .25rem; margin: 0; padding: 0; list-style: none; font-size: .9rem; }
.themes a { display: block; padding: .2rem .6rem; border: 1px solid transparent; border-radius: 1rem; text-decoration: none; }
.themes a[aria-current] { border-color: currentColor; }
ol { margin: 0; padding-left: 1.2rem; } ol li { margin-bottom: .8rem; }
.brand { margin: 0; font-weight: 600; color: var(--brand); letter-spacing: .02em; }
h1 { margin: .25rem 0; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
.lead { margin: 0 0 1.25rem; color: var(--soft); }
form { display: grid; gap: .35rem; }
label { font-weight: 500; }
input { font: inherit; padding: .6rem .7rem; margin-bottom: .7rem; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .5rem; }
button { font: inherit; font-weight: 600; margin-top: .9rem; padding: .7rem 1rem; color: light-dark(#fff, #08130e); background: var(--brand); border: 0; border-radius: .5rem; cursor: pointer; }
button.second { color: var(--brand); background: transparent; border: 1px solid currentColor; }
.note { margin: .5rem 0 0; font-size: .9rem; color: var(--soft); }
:is(input, button, a, pre):focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
a { color: var(--brand); }
dl { display: grid; grid-template-columns: fit-content(50%) 1fr; gap: .2rem 1rem; margin: 0; }
ul { margin: 0; padding-left: 1.1rem; font-size: .9rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
pre { padding: .8rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem; background: var(--page); border-radius: .5rem; }
`
