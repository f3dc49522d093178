import { DEMO_ACTION, formOf, page, scriptOf, type Theme } from './page.ts'

const THEMES = ['auto', 'light', 'dark'] as const satisfies readonly Theme[]

/** @param value of the query, which anybody writes. */
export const themeOf = (value: unknown): Theme => THEMES.find((each) => each === value) ?? 'auto'

/** A path of the site that keeps the theme. */
export const inTheme = (path: string, theme: Theme): string => (theme === 'auto' ? path : `${path}?theme=${theme}`)

const themeLinks = (current: Theme): string =>
  THEMES.map(
    (each) => `<li><a href="${inTheme('/', each)}"${each === current ? ' aria-current="true"' : ''}>${each}</a></li>`,
  ).join('')

/** The score that the second button's handler asks for. */
export const STRICT = 1

/** The front page: the form, and what happens when it is sent. It needs no script but the widget's. */
export const tourPage = (serviceUrl: string, sitekey: string, theme: Theme): string =>
  page(
    'Sign up · Harbour Tea',
    `<div class="top"><p class="brand">Harbour Tea</p>
<nav aria-label="Theme"><ul class="themes">${themeLinks(theme)}</ul></nav></div>
<div class="columns">
<section aria-labelledby="form-title">
<h1 id="form-title">Create your account</h1>
<p class="lead">A demonstration: sign up with anything you like, nothing is kept.</p>
${formOf(serviceUrl, {
  sitekey,
  action: DEMO_ACTION,
  post: inTheme('/sign-up', theme),
  theme,
  second: `
  <button class="second" name="plan" value="strict">Sign up, and be refused</button>`,
})}
<p class="note">The second button asks for a score of ${STRICT.toFixed(2)}, which hardly anybody has: you see what a refused visitor sees.</p>
</section>
<section aria-labelledby="tour-title">
<h2 id="tour-title">What happens on this page</h2>
<ol>
<li><strong>You type.</strong> Your browser does a little work and measures how the page is used. No puzzle, no cookie, no third
party: the network panel of your browser shows this machine alone.</li>
<li><strong>You send.</strong> The form carries a token. The server of this site asks the service once whether it is genuine.</li>
<li><strong>You see it all.</strong> The next page has your score with every rule that counted, the server’s question, the service’s answer.</li>
<li><strong>You try to cheat.</strong> One button sends the same token again. It was used up the first time.</li>
</ol>
<p class="note">In your own page this is one script, one element and one call on the server: docs/start/own-site.md.</p>
</section>
</div>`,
    { head: scriptOf(serviceUrl), theme, isWide: true },
  )
