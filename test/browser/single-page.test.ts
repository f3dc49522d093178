/** Calls without a form, and pages that never load again. docs/widget/javascript.md, "Calls without a form" */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from '@jest/globals'
import express from 'express'
import { requireHuman } from '../../packages/client/src/express.ts'
import { seconds } from '../../src/domain/words.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { SECRET, SITEKEY } from '../support/app.ts'
import { FLAGS } from '../support/chromium.ts'
import { closeLater, newFolder } from '../support/close-later.ts'
import { container } from '../support/customer.ts'
import { gateFiles, PROXIES, startGate } from '../support/gate.ts'
import { eventually } from '../support/ledger-contract.ts'
import { needProgram } from '../support/programs.mjs'
import { environmentOf, startScreen } from '../support/screen.ts'
import { backstage, begin, form, inChromium, MANAGED, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

inChromium()

interface How {
  readonly method: string
  readonly origins?: string[]
}
const call = (path: string, init: How = { method: 'POST' }): Promise<number> =>
  on.page.evaluate(async ([where, how]) => (await svcCaptcha.fetch(where, how)).status, [
    path,
    init,
  ] as const)
const verdicts = (): unknown[] => on.customer.submissions.map(({ verdict }) => verdict['success'])

test('on a page with a router, three concurrent calls and a form of the last route each have a token', async () => {
  await begin()
  await on.open(`<main></main><template id="form">${form('SERVICE').replace('/handle"', '/handle" target="inside"')}</template><iframe name="inside"></iframe>
    <script>const routes = { '/': () => '<div class="svc-captcha" data-sitekey="${SITEKEY}" data-action="sign-up" data-api-base="SERVICE/"></div>', '/form': () => document.getElementById('form').innerHTML }
      const go = (to) => { history.pushState(null, '', to); document.querySelector('main').innerHTML = routes[to]() }
      go('/')</script>`)
  await on.until('idle')
  expect(
    await Promise.all(['/orders/a', '/orders/b', '/orders/c'].map((path) => call(path))),
  ).toEqual([200, 200, 200])
  await on.page.evaluate(`go('/form')`)
  await on.until('idle')
  await on.fill()
  await on.press()
  await on.received(4)
  expect(verdicts()).toEqual([true, true, true, true])
})

test('a tab that was open over night calls with a fresh token', async () => {
  await begin({ tokenLifetime: seconds(120) })
  await on.page.addInitScript(
    `const now = Date.now; window.ahead = 0; Date.now = () => now() + ahead`,
  )
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

/** Two tabs of a browser that no program drives. When the one in the back has its first token, the one in front closes: the other is seen. */
const TABS = `<script type="module">
  const send = async (path, options) =>
    fetch(path, { method: 'POST', body: new URLSearchParams({ 'svc-response': await svcCaptcha.execute(undefined, options) }) })
  const tabs = new BroadcastChannel('tabs')
  if (location.search) {
    await send('/back', { waitForFocusMs: 500 })
    tabs.postMessage('')
    await send('/waited', { waitForFocusMs: 60_000 })
  } else {
    const isOver = new Promise((resolve) => (tabs.onmessage = resolve))
    await send('/front')
    await isOver
    close()
  }
</script>`
/** Its command, with the folder of its profile. */
const BROWSERS = {
  chromium: (folder: string) => [needProgram('chromium'), ...FLAGS, `--user-data-dir=${folder}`],
  firefox(folder: string) {
    writeFileSync(join(folder, 'user.js'), 'user_pref("dom.allow_scripts_to_close_windows", true);')
    return [needProgram('firefox'), '--no-remote', '--profile', folder]
  },
  webkit: () => [
    `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/webkit2gtk-4.1/MiniBrowser`,
  ],
}
test.each(Object.entries(BROWSERS))(
  'execute() without a touch in %s: 0.48 in front, 0.40 in the back, and as in front where it waits for the focus',
  async (_name, command) => {
    const home = newFolder()
    const behind = closeLater(await backstage(), (it) => it.close())
    const { customer } = behind
    customer.page = container(behind.service.base) + TABS
    const [program, ...args] = command(home)
    const env = environmentOf(await startScreen(), home)
    const child = spawn(program!, [...args, customer.url, `${customer.url}/?back`], {
      env,
      stdio: 'ignore',
      detached: true,
    })
    closeLater(child, (it) => process.kill(-it.pid!, 'SIGKILL'))
    await eventually(() => behind.received(3))
    const scores = new Map(
      customer.submissions.map(({ path, verdict }) => [path, Number(verdict['score'])]),
    )
    expect([scores.get('/front'), scores.get('/back')]).toEqual([0.48, 0.4])
    // The tab that appears may be below the pointer, which adds to its score.
    expect(scores.get('/waited')).toBeGreaterThanOrEqual(0.48)
  },
  90_000,
)

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
  const page = (base: string): string =>
    `<!doctype html>${container(base, 'data-size="invisible"')}<script src="${base}/assets/captcha.js" defer></script>`
  /** A shop with an API. @returns the bodies that it is sent. */
  async function openShop(change: Parameters<typeof begin>[0]): Promise<unknown[]> {
    await begin(change)
    const sent: unknown[] = []
    const { base } = on.service
    const site = { url: base, secret: SECRET, action: 'sign-up', hostnames: ['127.0.0.1'] } as const
    const body: express.RequestHandler = (req, _res, next) => {
      sent.push(req.body)
      next()
    }
    const app = express()
      .get('/', (_req, res) => {
        res.send(page(base))
      })
      .use(
        '/api',
        express.text({ type: () => true }),
        body,
        requireHuman({ ...site, from: 'header' }),
      )
      .use('/api', (_req, res) => void res.send('done'))
    await on.page.goto(await on.serve(app))
    await on.page.waitForFunction(() => 'svcCaptcha' in window)
    return sent
  }

  test.each([
    ['a text', 200, 2, false],
    ['a Request with a body', 422, 1, true],
  ])(
    'after the step, %s is answered by %i, sent %i times',
    async (_what, status, times, isRequest) => {
      const sent = await openShop({ ...MANAGED, stepUp: 'ticket' })
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
      expect(sent).toEqual(Array.from({ length: times }, () => 'order=tea'))
    },
  )

  test('gets one clearance of a gate for calls at once, and sends each again', async () => {
    await begin()
    const gate = await startGate(
      gateFiles(on.service.base, {
        rules: [{ name: 'page', when: { path: ['/'] }, effect: 'allow' }],
      }),
    )
    await on.page.goto((await PROXIES.nginx(gate.host, new URL(on.customer.url).host)).url)
    await on.until('idle')
    expect(await Promise.all([call('/orders/a'), call('/orders/b')])).toEqual([200, 200])
    expect(gate.lines().filter(({ message }) => message === 'clearance given')).toHaveLength(1)
    expect(verdicts()).toEqual([true, true])
  })

  describe('that is redirected', () => {
    /** What another origin was asked, and whether with a token. It answers with what a gate does. */
    let asked: string[]
    let other: string
    let listed: string
    beforeEach(async () => {
      await begin()
      asked = []
      other = await on.serve((req, res) => {
        asked.push(`${req.method} ${typeof req.headers['svc-response']}`)
        for (const [name, value] of Object.entries({
          'access-control-allow-origin': req.headers.origin ?? '*',
          'access-control-allow-headers': 'svc-response',
          'access-control-expose-headers': 'hv-required',
          'hv-required': 'x',
        }))
          res.setHeader(name, value)
        res.statusCode = req.method === 'OPTIONS' ? 204 : 401
        res.end(
          JSON.stringify({
            sitekey: SITEKEY,
            action: 'gate',
            service: `${other}/named/`,
            step_up: 'x',
          }),
        )
      })
      listed = await on.serve((req, res) => {
        res.setHeader('access-control-allow-origin', req.headers.origin!)
        res.setHeader('access-control-allow-headers', 'svc-response')
        if (req.method !== 'OPTIONS') res.setHeader('location', `${other}/taken`).statusCode = 307
        res.end()
      })
      const app = express()
        .get('/', (_req, res) => void res.send(page(on.service.base)))
        .all('/away', (_req, res) => res.redirect(307, `${other}/taken`))
        .all('/moved', (_req, res) => res.redirect(307, '/here'))
        .all('/here', (req, res) => void res.send(typeof req.headers['svc-response']))
      await on.page.goto(await on.serve(app))
      await on.page.waitForFunction(() => 'svcCaptcha' in window)
    })

    test.each(['GET', 'POST'])('to another origin by %s, gives nothing to it', async (method) => {
      await expect(call('/away', { method })).rejects.toThrow('Failed to fetch')
      await expect(call('/away', { method, origins: [other] })).rejects.toThrow('Failed to fetch')
      await expect(call(`${listed}/tea`, { method, origins: [listed] })).rejects.toThrow(
        'Failed to fetch',
      )
      expect(asked).toEqual([])
    })

    test('within the page’s own origin, arrives with its token', async () => {
      const text = on.page.evaluate(async () =>
        (await svcCaptcha.fetch('/moved', { method: 'POST', body: 'a' })).text(),
      )
      expect(await text).toBe('string')
    })
  })

  test('sends a token to an origin that is listed, and to no other', async () => {
    await openShop({})
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
