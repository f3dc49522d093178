import type { Verification } from '../client/verify.ts'
import type { Scored } from './decisions.ts'
import type { Exchange } from './exchange.ts'
import { escapeHtml, page, partsList, type Theme, TOOLS_HELP } from './page.ts'
import { inTheme } from './tour.ts'

/** The score, taken apart: only the demonstration can, because it reads the service's log. */
export interface ResultWords {
  readonly scored: Scored | undefined
  /** Why a rule counts, by its name. */
  readonly wordsFor: (name: string) => string
}

export interface Result {
  readonly verification: Verification
  /** Undefined: nothing was asked. */
  readonly exchange: Exchange | undefined
  /** What was sent, if it is a token by its characters. */
  readonly token: string
  readonly curl: string
  readonly theme: Theme
  /** The score that the handler asked for; undefined: the site's threshold. */
  readonly demanded: number | undefined
}

/** The server's question and the service's answer. */
const exchangeOf = ({ question, answer }: Exchange): string => `<h2>What the server asked</h2>
<pre tabindex="0" aria-label="Question">POST /api/v1/siteverify
${escapeHtml(question)}</pre>
<h2>What the service answered</h2>
<pre tabindex="0" aria-label="Answer">${escapeHtml(answer ?? 'nothing: it could not be reached')}</pre>`

/** Sends a token that was used up once more. */
const replayForm = (token: string, theme: Theme): string => `<form method="post" action="${inTheme('/again', theme)}">
<input type="hidden" name="svc-response" value="${escapeHtml(token)}">
<button>Send the same token again</button>
</form>`

function againIn(verification: Verification): readonly [outcome: string, lead: string] {
  if (verification.accepted)
    return ['accepted', 'Accepted: this token had not been used before. Go back, and send it again.']
  if (verification.retryable) return ['unknown', 'The service could not be asked. Please try again in a moment.']
  if (verification.rule !== 'fresh') return ['refused', 'Refused, and not because it was used: the answer says why.']
  return [
    'refused',
    'Refused, in every process of a fleet, and however many try at the same moment: a token is accepted at most once.',
  ]
}

/** What the service says of a token that was used before. */
export function replayPage(verification: Verification, exchange: Exchange | undefined, theme: Theme): string {
  const [outcome, lead] = againIn(verification)
  return page(
    'The same token again',
    `<p class="brand">Harbour Tea</p>
<h1>The same token again</h1>
<p class="lead" role="status" data-outcome="${outcome}">${lead}</p>
${exchange ? exchangeOf(exchange) : ''}
<p><a href="${inTheme('/', theme)}">Back to the form</a></p>`,
    { theme },
  )
}

/** The three ways of docs/widget/refused.md: the step, a pass, another channel. */
const otherWays = (theme: Theme): string => `<h2>Other ways to sign up</h2>
<ul>
<li><a href="${inTheme('/', theme)}">Send the form again</a>: it may ask you to confirm, with one button and no puzzle.</li>
<li><a href="/support">Ask our support desk</a>: a person looks at your case and gives you a link that lets you in.</li>
<li>Write to <a href="mailto:help@example.com">help@example.com</a> or call 01234 56789: we make the account for you.</li>
</ul>`

function wordsOf(verification: Verification): readonly [title: string, lead: string] {
  if (verification.accepted)
    return ['Welcome aboard', 'The server asked the service, all seven rules held, and the account was made.']
  if (verification.retryable)
    return ['Back in a moment', 'This is temporarily unavailable. Please try again in a moment.']
  return ['That did not work', 'We could not process your request. Please try again.']
}

/** What came of it. A real site shows a visitor only the neutral sentence; the rest is here for learning. */
export function resultPage(result: Result, { scored, wordsFor }: ResultWords): string {
  const { verification, exchange, token, curl, theme, demanded } = result
  const facts = verification.accepted
    ? {
        score: verification.score,
        threshold: scored?.threshold ?? 'the site’s',
        hostname: verification.hostname,
        action: verification.action,
        challenge_ts: verification.challengeTs,
      }
    : {
        'failed rule': verification.rule,
        'error-codes': verification.codes.join(', ') || '(none)',
        ...(verification.lowScore && {
          score: verification.lowScore.score,
          threshold: verification.lowScore.threshold,
        }),
        ...(demanded !== undefined && { 'asked for by the second button': demanded.toFixed(2) }),
      }
  const isLow = !verification.accepted && verification.rule === 'score'
  const rows = Object.entries(facts).map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(String(value))}</dd>`)
  const [title, lead] = wordsOf(verification)
  return page(
    title,
    `<p class="brand">Harbour Tea</p>
<h1>${title}</h1>
<p class="lead" role="status" data-outcome="${verification.accepted ? 'accepted' : 'refused'}">${lead}</p>
${isLow ? otherWays(theme) : ''}<section aria-label="For learning">
<h2>For learning: what the server saw</h2>
<dl>${rows.join('')}</dl>
${scored ? partsList(scored, wordsFor) : ''}${isLow && demanded === undefined ? TOOLS_HELP : ''}
${exchange ? exchangeOf(exchange) : ''}
<h2>Use the same token again</h2>
<p>A token is accepted once. Press the button, or paste the line, and read <code>timeout-or-duplicate</code>.</p>
${token === '' ? '' : replayForm(token, theme)}
<pre tabindex="0" aria-label="Line to paste">${escapeHtml(curl)}</pre>
</section>
<p><a href="${inTheme('/', theme)}">Back to the form</a></p>`,
    { theme },
  )
}
