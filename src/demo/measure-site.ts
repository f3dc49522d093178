import { request } from 'node:http'
import express, { type Express, type RequestHandler } from 'express'
import type { Decisions, Scored } from './decisions.ts'
import { escapeHtml, formPage, page, partsList, STYLE } from './page.ts'

interface Measured {
  /** Base address of the service of this process, without a slash at its end. */
  readonly serviceUrl: string
  readonly sitekey: string
  readonly action: string
  readonly decisions: Decisions
  /** Why a rule counts, by its name. */
  readonly wordsFor: (rule: string) => string
}

/** Visits whose summaries are kept until their form arrives. */
const MOST = 100

/**
 * A page that measures the browser that opens it: a form with the widget, then the score, every rule that counted, and
 * the summary that the browser sent. Page and service have one address, so that a phone in the same network needs no
 * second one; nothing is sent anywhere else.
 */
export function measureSite({ serviceUrl, sitekey, action, decisions, wordsFor }: Measured): Express {
  const app = express()
  app.disable('x-powered-by')
  const summaries = new Map<string, unknown>()
  const keep = (token: string, signals: unknown): void => {
    summaries.set(token, signals)
    if (summaries.size > MOST) summaries.delete(summaries.keys().next().value!)
  }

  app.use(['/api/v1/challenge', '/assets'], passOn(serviceUrl))
  app.use('/api/v1/solve', passOn(serviceUrl, keep))
  app.use((_req, res, next) => {
    res.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; script-src 'self'; connect-src 'self'; worker-src blob:; style-src 'self'; img-src data:; ` +
        `form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    next()
  })
  app.get('/', (_req, res) => void res.send(formPage('', { sitekey, action, post: '/' })))
  app.get('/style.css', (_req, res) => void res.type('css').send(STYLE))
  app.post('/', express.urlencoded({ limit: '16kb' }), async (req, res) => {
    const token = (req.body as Record<string, unknown>)['svc-response']
    const scored = await decisions.of(token)
    if (!scored || typeof token !== 'string') return void res.status(422).send(NOTHING)
    res.send(measuredPage(scored, wordsFor, summaries.get(token), req.get('user-agent') ?? ''))
  })
  return app
}

const NOTHING = page(
  'No token',
  '<h1>No token</h1><p>The form came without one. The widget says why, by a number: docs/start/troubleshooting.md.</p>',
)

function measuredPage(scored: Scored, wordsFor: (rule: string) => string, signals: unknown, userAgent: string): string {
  const { score, threshold, parts } = scored
  const report = { userAgent, score, rules: Object.fromEntries(parts.map(({ name, value }) => [name, value])), signals }
  return page(
    'Measured',
    `<h1>Measured: ${score.toFixed(2)}</h1>
<p class="lead" role="status">A person passes at ${threshold ?? 0.5} or more. Nothing was sent anywhere but to the program that you started.</p>
${partsList(scored, wordsFor)}
<h2>For a report</h2>
<p>Copy this into an issue, and say which device, browser and settings you used (docs/contribute/measure-a-browser.md).</p>
<pre tabindex="0">${escapeHtml(JSON.stringify(report, undefined, 1))}</pre>
<p><a href="/">Once more</a></p>`,
  )
}

/**
 * Hands a request to the service as it came: names and order of headers are evidence.
 *
 * @param hear receives the summary of a solved challenge, by its token.
 */
function passOn(serviceUrl: string, hear?: (token: string, signals: unknown) => void): RequestHandler {
  return (req, res) => {
    const headers = [...req.rawHeaders, 'X-Forwarded-For', req.socket.remoteAddress ?? '']
    const body: Buffer[] = []
    const answer: Buffer[] = []
    const passed = request(`${serviceUrl}${req.originalUrl}`, { method: req.method, headers }, (reply) => {
      res.writeHead(reply.statusCode ?? 502, reply.rawHeaders)
      reply.on('data', (chunk: Buffer) => {
        answer.push(chunk)
        res.write(chunk)
      })
      reply.on('end', () => {
        const { token } = parse(textOf(answer))
        if (typeof token === 'string') hear?.(token, summaryIn(textOf(body)))
        res.end()
      })
    })
    passed.on('error', () => res.destroy())
    req.on('data', (chunk: Buffer) => {
      body.push(chunk)
      passed.write(chunk)
    })
    req.on('end', () => passed.end())
  }
}

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString()

/** The widget sends a form, in which the summary is JSON text; other clients may send JSON. */
const summaryIn = (body: string): unknown =>
  parse(body)['signals'] ?? parse(new URLSearchParams(body).get('signals') ?? '')

/** @returns nothing of what is no JSON object, such as an asset. */
function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
