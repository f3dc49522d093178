/** Calls without a form, and pages that never load again. docs/widget/javascript.md, "Calls without a form" */
import { describe, expect, test } from '@jest/globals'
import express from 'express'
import { requireHuman } from '../../packages/client/src/express.ts'
import { seconds } from '../../src/domain/words.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { SECRET, SITEKEY } from '../support/app.ts'
import { container } from '../support/customer.ts'
import { begin, form, inChromium, MANAGED, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

inChromium()

interface How {
  readonly method: string
  readonly origins?: string[]
}
const call = (path: string, init: How = { method: 'POST' }): Promise<number> =>
  on.page.evaluate(async ([where, how]) => (await svcCaptcha.fetch(where, how)).status, [path, init] as const)
const verdicts = (): unknown[] => on.customer.submissions.map(({ verdict }) => verdict['success'])

test('a page with a router: three calls at once, and a form of the last route, have a token each', async () => {
  await begin()
  await on.open(`<main></main><template id="form">${form('SERVICE').replace('/handle"', '/handle" target="inside"')}</template><iframe name="inside"></iframe>
    <script>const routes = { '/': () => '<div class="svc-captcha" data-sitekey="${SITEKEY}" data-action="sign-up" data-api-base="SERVICE/"></div>', '/form': () => document.getElementById('form').innerHTML }
      const go = (to) => { history.pushState(null, '', to); document.querySelector('main').innerHTML = routes[to]() }
      go('/')</script>`)
  await on.until('idle')
  expect(await Promise.all(['/orders/a', '/orders/b', '/orders/c'].map((path) => call(path)))).toEqual([200, 200, 200])
  await on.page.evaluate(`go('/form')`)
  await on.until('idle')
  await on.fill()
  await on.press()
  await on.received(4)
  expect(verdicts()).toEqual([true, true, true, true])
})

test('a tab that was open over night calls with a fresh token', async () => {
  await begin({ tokenLifetime: seconds(120) })
  await on.page.addInitScript(`const now = Date.now; window.ahead = 0; Date.now = () => now() + ahead`)
  await on.open()
  expect(await call('/orders/evening')).toBe(200)
  await on.page.evaluate(() => svcCaptcha.execute())
  on.ahead = 36_000_000
  await on.page.evaluate('ahead = 36e6')
  expect(await call('/orders/morning')).toBe(200)
  expect(verdicts()).toEqual([true, true])
})

test('a token that expires between the press and the send is replaced', async () => {
  await begin({ tokenLifetime: seconds(3) })
  await on.open(`${form('SERVICE')}<script>document.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault()
    // As a page does that uploads a file first.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    await svcCaptcha.fetch('/orders/late', { method: 'POST' })
  })</script>`)
  await on.fill()
  await on.press()
  await on.received(1)
  expect(verdicts()).toEqual([true])
})

test('execute() waits for the focus where it is told to, and not for ever', async () => {
  await begin()
  await on.open()
  const took = await on.page.evaluate(async () => {
    document.hasFocus = () => false
    const began = performance.now()
    await svcCaptcha.execute(undefined, { waitForFocusMs: 1500 })
    return performance.now() - began
  })
  expect(took).toBeGreaterThan(1400)
})

test('a token that a script requests of an untouched page is explained once in the console of a developer', async () => {
  await begin()
  // A driver counts what it evaluates as a press.
  await on.open(
    `${form('SERVICE')}<script type="module">await svcCaptcha.execute(); await svcCaptcha.execute()</script>`,
  )
  await on.answered('solve', 2)
  expect(on.said.filter((line) => line.includes('an untouched visit scores 0.48'))).toHaveLength(1)
})

describe('svcCaptcha.fetch', () => {
  /** A shop with an API, and what it was sent. */
  async function openShop(
    change: Parameters<typeof begin>[0],
    api: express.RequestHandler,
  ): Promise<express.Request[]> {
    await begin(change)
    const sent: express.Request[] = []
    const note: express.RequestHandler = (req, _res, next) => {
      sent.push(req)
      next()
    }
    const { base } = on.service
    const app = express()
      .get('/', (_req, res) => {
        res.send(
          `<!doctype html>${container(base, 'data-size="invisible"')}<script src="${base}/assets/captcha.js" defer></script>`,
        )
      })
      .use('/api', note, express.text({ type: () => true }), api, (_req, res) => void res.send('done'))
      .post('/.hv/pass', express.urlencoded(), async (req, res) => {
        const { action } = req.body as { action: string }
        sent.push(req)
        const isHuman = await on.verified((req.body as Record<string, string>)['svc-response']!, action)
        res
          .status(isHuman ? 204 : 403)
          .set('set-cookie', 'clearance=1; path=/')
          .end()
      })
    await on.page.goto(await on.serve(app))
    await on.page.waitForFunction(() => 'svcCaptcha' in window)
    return sent
  }
  const human = (): express.RequestHandler => {
    const options = { url: on.service.base, secret: SECRET, action: 'sign-up', hostnames: ['127.0.0.1'] } as const
    return requireHuman({ ...options, from: 'header' }) as unknown as express.RequestHandler
  }
  const late: express.RequestHandler = (...args) => human()(...args)

  test.each([
    ['a text', 200, 2, false],
    ['a Request with a body', 422, 1, true],
  ])('after the step, %s is answered by %i, sent %i times', async (_what, status, times, isRequest) => {
    const sent = await openShop({ ...MANAGED, stepUp: 'ticket' }, late)
    const answer = on.page.evaluate(async (isOne) => {
      const how = { method: 'POST', body: 'order=tea' }
      const response = await (isOne
        ? svcCaptcha.fetch(new Request('/api/order', how))
        : svcCaptcha.fetch('/api/order', how))
      return [response.status, await response.text()]
    }, isRequest)
    if (times > 1) await on.confirm()
    const text = status === 200 ? 'done' : 'step_up'
    expect(await answer).toEqual([status, expect.stringContaining(text)])
    expect(sent.map(({ body }) => body)).toEqual(Array.from({ length: times }, () => 'order=tea'))
  })

  test('gets one clearance of a gate for calls at once, and sends each again', async () => {
    const sent = await openShop({}, (req, res, next) => {
      if (req.get('cookie')?.includes('clearance=1')) return next()
      const need = { sitekey: SITEKEY, action: 'gate', service: on.service.base }
      res
        .status(401)
        .set('hv-required', 'action="gate"')
        .json({ error: 'verification required', ...need })
    })
    expect(await Promise.all([call('/api/a'), call('/api/b')])).toEqual([200, 200])
    expect(sent.filter(({ path }) => path === '/.hv/pass')).toHaveLength(1)
    expect(sent.filter(({ baseUrl }) => baseUrl === '/api')).toHaveLength(4)
  })

  test('sends a token to an origin that is listed, and to no other', async () => {
    await openShop({}, late)
    const asked: string[] = []
    const api = await on.serve((req, res) => {
      asked.push(`${req.method} ${typeof req.headers['svc-response']}`)
      res
        .setHeader('access-control-allow-origin', req.headers.origin!)
        .setHeader('access-control-allow-headers', 'svc-response')
      res.end('done')
    })
    await expect(call(`${api}/tea`)).rejects.toThrow('origins lacks')
    expect(asked).toEqual([])
    expect(await call(`${api}/tea`, { method: 'POST', origins: [api] })).toBe(200)
    expect(asked).toEqual(['OPTIONS undefined', 'POST string'])
  })
})
