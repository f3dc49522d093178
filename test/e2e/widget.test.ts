import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Browser, chromium, type Page, type Request } from 'playwright-core'
import { createApp } from '../../src/app.ts'
import { seconds } from '../../src/domain/words.ts'
import { loadAssets } from '../../src/http/assets.ts'
import { type Listening, listen } from '../../src/http/listen.ts'
import { site, testService, type TestService } from '../support/app.ts'
import { needProgram } from '../support/install.ts'
import type { SvcCaptcha } from '../../widget/src/captcha.ts'
import { container, type Customer, startCustomer } from '../widget/customer.ts'

/** The real widget in a real Chromium against the real service: tokens, ledger, work and verification, nothing stubbed. */
const ASSETS = fileURLToPath(new URL('../../dist/assets', import.meta.url))

declare const svcCaptcha: SvcCaptcha

let browser: Browser
let service: TestService
let again: Listening | undefined
let customer: Customer
let page: Page
let requests: Request[]
/** Added to the service's clock, milliseconds. */
let ahead = 0

beforeAll(async () => {
  if (!existsSync(`${ASSETS}/captcha.js`)) throw new Error('dist/assets is empty: npm run build:widget makes it')
  browser = await chromium.launch({
    executablePath: needProgram('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
})
afterAll(() => browser.close())

async function start(change: Parameters<typeof site>[0] = {}): Promise<void> {
  ahead = 0
  service = await testService({
    // What a driven browser scores is not the question here.
    siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0, ...change })],
    assets: await loadAssets(ASSETS),
    nowMs: () => Date.now() + ahead,
  })
  customer = await startCustomer(service.base)
  customer.page = `<form method="post" action="/handle" id="form">
    <input name="email" aria-label="Email" required>
    ${container(service.base)}
    <button name="plan" value="free">Free</button>
    <button name="plan" value="paid" formaction="/paid">Paid</button>
  </form>`
  requests = []
  page = await browser.newPage()
  page.on('request', (request) => requests.push(request))
}

beforeEach(() => start())
afterEach(async () => {
  await page.close()
  await customer.close()
  await service.stop(0)
  await again?.stop(0)
  again = undefined
})

const open = (): Promise<unknown> => page.goto(customer.url)
const state = (index = 0): Promise<string> =>
  page
    .locator('.svc-captcha .box')
    .nth(index)
    .evaluate((box) => box.className.split(' ').pop() ?? '')
async function until(wanted: string, index = 0): Promise<void> {
  await page.locator(`.svc-captcha >> nth=${index} >> .box.${wanted}`).waitFor({ state: 'attached', timeout: 15_000 })
}
const status = (): Promise<string> => page.getByRole('status').innerText()
const received = async (count: number): Promise<void> => {
  for (let waited = 0; customer.submissions.length < count && waited < 10_000; waited += 50)
    await page.waitForTimeout(50)
  expect(customer.submissions).toHaveLength(count)
}
/** The same for a form that leaves the page; Chromium cannot always close a page that is on its way to the next. */
const arrived = async (count: number): Promise<void> => {
  await received(count)
  await page.getByRole('heading', { name: 'received' }).waitFor()
}
const tokenOf = (index: number): string =>
  customer.submissions[index]!.fields.find(([name]) => name === 'svc-response')?.[1] ?? ''
const calls = (operation: string): Request[] => requests.filter((one) => one.url().endsWith(`/api/v1/${operation}`))
const framedForm = (id: string): string =>
  `<form method="post" action="/${id}" target="frame"><input name="email" aria-label="${id}">${container(service.base)}<button>Send ${id}</button></form>`
/** A form that stays on the page, as single-page applications have them. */
const fetchForm = (): string => `${customer.page}<script>
  document.getElementById('form').addEventListener('submit', (event) => {
    event.preventDefault()
    fetch('/ajax', { method: 'POST', body: new URLSearchParams(new FormData(event.target, event.submitter)) })
  })</script>`

describe('a form', () => {
  test('is worked for at its first touch, and its token is minted at the submit and accepted', async () => {
    await open()
    expect(await state()).toBe('idle')
    expect(calls('challenge')).toHaveLength(0)
    await page.getByLabel('Email').fill('a@example.com')
    await until('ready')
    expect(calls('challenge')).toHaveLength(1)
    expect(calls('solve')).toHaveLength(0)
    await page.getByText('Free').click()
    await arrived(1)
    expect(customer.submissions[0]).toMatchObject({ path: '/handle', verdict: { success: true, 'error-codes': [] } })
    expect(calls('solve')).toHaveLength(1)
  })

  test('submitted before the work is done is held, then sent with the button that was pressed', async () => {
    await service.stop(0)
    await customer.close()
    await page.close()
    await start({ work: { level: 5, maxLevel: 6 } })
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await page.getByText('Paid').click({ noWaitAfter: true })
    expect(await state()).toBe('working')
    expect(await status()).toContain('your form is sent')
    await arrived(1)
    expect(customer.submissions[0]).toMatchObject({ path: '/paid', verdict: { success: true } })
    expect(customer.submissions[0]!.fields).toContainEqual(['plan', 'paid'])
    expect(customer.submissions[0]!.fields.filter(([name]) => name === 'svc-response')).toHaveLength(1)
  })

  test('that is double-clicked is sent once', async () => {
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await page.getByText('Free').dblclick({ noWaitAfter: true })
    await arrived(1)
    await page.waitForTimeout(800)
    expect(customer.submissions).toHaveLength(1)
  })

  test('that stays on the page is sent once for a double click, and again for a second submit with a fresh token', async () => {
    customer.page = fetchForm()
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await until('ready')
    await page.getByText('Free').dblclick()
    await received(1)
    await page.waitForTimeout(500)
    expect(customer.submissions).toHaveLength(1)
    await page.getByText('Free').click()
    await received(2)
    expect(customer.submissions.map(({ verdict }) => verdict['success'])).toEqual([true, true])
    expect(tokenOf(1)).not.toBe(tokenOf(0))
  })

  test('that is double-clicked with a token in hand and the next work done is sent once', async () => {
    customer.page = fetchForm()
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await page.getByText('Free').click()
    await received(1)
    await page.evaluate(() => svcCaptcha.reset())
    await until('verified')
    await page.getByText('Free').dblclick()
    await received(2)
    await page.waitForTimeout(800)
    expect(customer.submissions).toHaveLength(2)
  })

  test('that is pressed again while the page is leaving is sent once', async () => {
    customer.delayMs = 1500
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await until('ready')
    const button = await page.getByText('Free').boundingBox()
    for (let press = 0; press < 3; press++) {
      await page.mouse.click(button!.x + 5, button!.y + 5)
      await page.waitForTimeout(400)
    }
    await page.getByText('received').waitFor()
    expect(customer.submissions).toHaveLength(1)
  })

  test('is filled in and sent by the keyboard alone', async () => {
    await open()
    await page.keyboard.press('Tab')
    await page.keyboard.type('a@example.com')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute('role'))).toBe(
      'checkbox',
    )
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await arrived(1)
    expect(customer.submissions[0]!.verdict['success']).toBe(true)
    // The first button is the one that Enter presses.
    expect(customer.submissions[0]!.fields).toContainEqual(['plan', 'free'])
  })

  test('that the browser finds incomplete is not sent, and no token is spent on it', async () => {
    await open()
    await page.getByLabel('Email').focus()
    await until('ready')
    await page.getByText('Free').click()
    await page.waitForTimeout(300)
    expect(customer.submissions).toHaveLength(0)
    expect(calls('solve')).toHaveLength(0)
  })

  test('shows its listeners a submit only when the token is there', async () => {
    customer.page += `<script>window.seen = []
      for (const capture of [true, false])
        document.addEventListener('submit', (event) => {
          event.preventDefault()
          seen.push(new FormData(event.target).get('svc-response').length > 20)
        }, capture)</script>`
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await page.getByText('Free').click()
    await until('verified')
    await page.waitForTimeout(100)
    expect(await page.evaluate('seen')).toEqual([true, true])
  })
})

describe('a form left open', () => {
  test('until its challenge is over is sent at the first try', async () => {
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await until('ready')
    // An hour of the service's time: the challenge in the browser's hands is long over.
    ahead = 3_600_000
    await page.getByText('Free').click()
    await arrived(1)
    expect(customer.submissions[0]!.verdict['success']).toBe(true)
    expect(calls('challenge')).toHaveLength(2)
  })

  test('renews its work before the challenge is over, without a sign', async () => {
    await page.close()
    await customer.close()
    await service.stop(0)
    await start({ challengeLifetime: seconds(2) })
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await until('ready')
    await page.evaluate(() => {
      const seen: string[] = []
      Object.assign(window, { seen })
      document.addEventListener('svc-captcha:statechange', (event) => seen.push((event as CustomEvent).type))
    })
    for (let waited = 0; calls('challenge').length < 3 && waited < 12_000; waited += 100) await page.waitForTimeout(100)
    expect(calls('challenge').length).toBeGreaterThanOrEqual(3)
    expect(await page.evaluate('seen')).toEqual([])
    await page.getByText('Free').click()
    await arrived(1)
    expect(customer.submissions[0]!.verdict['success']).toBe(true)
  })

  test('with a token in hand sends a fresh one', async () => {
    await page.close()
    await customer.close()
    await service.stop(0)
    await start({ tokenLifetime: seconds(3) })
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    const first = await page.evaluate(() => svcCaptcha.execute())
    await page.waitForTimeout(5000)
    await page.getByText('Free').click()
    await arrived(1)
    expect(customer.submissions[0]!.verdict['success']).toBe(true)
    expect(tokenOf(0)).not.toBe(first)
  })
})

describe('without the service', () => {
  test('the form is not sent; the visitor reads why, and tries again when it is back', async () => {
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await until('ready')
    await page.evaluate(() => {
      document.addEventListener('svc-captcha:error', (event) =>
        Object.assign(window, { detail: (event as CustomEvent).detail as unknown }),
      )
    })
    const port = Number(new URL(service.base).port)
    await service.stop(0)
    await page.getByText('Free').click()
    await until('failed')
    expect(await status()).toContain('Your form was not sent')
    expect(await page.evaluate('detail')).toMatchObject({ code: 200, retryable: true })
    expect(customer.submissions).toHaveLength(0)

    again = await listen(createApp(service.parts), { host: '127.0.0.1', port })
    await page.getByRole('button', { name: 'Try again' }).click()
    await arrived(1)
    expect(customer.submissions[0]).toMatchObject({ path: '/handle', verdict: { success: true } })
    expect(customer.submissions[0]!.fields).toContainEqual(['plan', 'free'])
  })

  test('a page that is not set up correctly says so to its maker, by number', async () => {
    customer.page = customer.page.replace('data-action="sign-up"', '')
    const errors: string[] = []
    page.on('console', (message) => errors.push(message.text()))
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await page.getByText('Free').click()
    await until('failed')
    expect(errors.join()).toContain('svc-captcha: 101')
    expect(await status()).toContain('(101)')
    expect(customer.submissions).toHaveLength(0)
  })
})

describe('a page', () => {
  test('with several forms and widgets sends each with a token of its own', async () => {
    customer.page = `${framedForm('one')}${framedForm('two')}<iframe name="frame"></iframe>`
    await open()
    await page.getByLabel('one').fill('1')
    await until('ready', 0)
    expect(await state(1)).toBe('idle')
    await page.getByText('Send one').click()
    await page.getByText('Send two').click()
    await received(2)
    expect(customer.submissions.map(({ path, verdict }) => [path, verdict['success']])).toEqual(
      expect.arrayContaining([
        ['/one', true],
        ['/two', true],
      ]),
    )
    expect(tokenOf(0)).not.toBe(tokenOf(1))
  })

  test('asks nobody but the service, without cookies and without a preflight', async () => {
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await until('ready')
    await page.getByText('Free').click()
    await arrived(1)
    const hosts = new Set(
      requests.filter((one) => one.url().startsWith('http')).map((one) => new URL(one.url()).origin),
    )
    expect([...hosts].sort()).toEqual([customer.url, service.base].sort())
    expect(requests.filter((one) => one.method() === 'OPTIONS')).toHaveLength(0)
    expect(service.lines().filter((line) => line['method'] === 'OPTIONS')).toHaveLength(0)
    expect(await page.context().cookies()).toHaveLength(0)
    // Script, challenge, solve: nothing else.
    expect(requests.filter((one) => one.url().startsWith(service.base))).toHaveLength(3)
  })

  test('under a strict policy without blob: still gets its token, on the main thread, and names the directive', async () => {
    customer.headers = {
      'content-security-policy':
        `default-src 'none'; script-src ${service.base}; connect-src ${service.base}; form-action 'self'; ` +
        `worker-src 'none'; img-src data:; require-trusted-types-for 'script'`,
    }
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await until('ready')
    await page.getByText('Free').click()
    await arrived(1)
    expect(customer.submissions[0]!.verdict['success']).toBe(true)
    expect(said.join('\n')).toContain('lacks "worker-src blob:"')
    expect(said.join('\n')).not.toContain('style-src')
  })

  test('may load the script twice, mount twice and take the container out', async () => {
    customer.page += `<script src="${service.base}/assets/captcha.js?v=2" defer></script>`
    await open()
    await until('idle')
    expect(await page.locator('.svc-captcha .box').count()).toBe(1)
    const ids = await page.evaluate(() => {
      const api = svcCaptcha
      return [api.render('.svc-captcha'), api.render('.svc-captcha')]
    })
    expect(ids[0]).toBe(ids[1])
    await page.evaluate(() => {
      svcCaptcha.remove()
    })
    // Longer than the watch for new containers needs: what a script took out stays out.
    await page.waitForTimeout(300)
    expect(await page.locator('.svc-captcha > *').count()).toBe(0)
    await page.evaluate(() => svcCaptcha.render('.svc-captcha'))
    await until('idle')
  })
})

describe('a script', () => {
  test('gets a token that is accepted, a new one each time it asks, and keeps the last one readable', async () => {
    await open()
    const [first, second, held] = await page.evaluate(async () => {
      const api = svcCaptcha
      const tokens = [await api.execute(), await api.execute()]
      return [...tokens, api.getResponse()]
    })
    expect(second).not.toBe(first)
    expect(held).toBe(second)
  })

  test('that asks twice at once gets one token', async () => {
    await open()
    const tokens = await page.evaluate(() => Promise.all([svcCaptcha.execute(), svcCaptcha.execute()]))
    expect(new Set(tokens).size).toBe(1)
    expect(calls('solve')).toHaveLength(1)
  })

  test('resets to a fresh token in one round trip, from work already done', async () => {
    customer.page = fetchForm()
    await open()
    await page.getByLabel('Email').fill('a@example.com')
    await page.getByText('Free').click()
    await received(1)
    await page.waitForTimeout(500)
    const challenges = calls('challenge').length
    const taken = await page.evaluate(async () => {
      const before = performance.now()
      const solved = new Promise((resolve) => document.addEventListener('svc-captcha:solved', resolve, { once: true }))
      svcCaptcha.reset()
      await solved
      return { ms: performance.now() - before, token: svcCaptcha.getResponse() }
    })
    expect(taken.ms).toBeLessThan(500)
    expect(taken.token).not.toBe(tokenOf(0))
    expect(calls('challenge')).toHaveLength(challenges)
  })

  test('is told what happens, once each', async () => {
    customer.page = customer.page.replace('class="svc-captcha"', 'class="svc-captcha" data-callback="onSolved"')
    await page.addInitScript(() => {
      const seen: string[] = []
      Object.assign(window, { seen, onSolved: (token: string) => seen.push(`callback ${token.length > 20}`) })
      for (const name of ['statechange', 'solved', 'reset'])
        document.addEventListener(`svc-captcha:${name}`, (event) => {
          seen.push((event as CustomEvent<{ state?: string }>).detail.state ?? name)
        })
    })
    await open()
    await page.evaluate(() => svcCaptcha.execute())
    expect(await page.evaluate('seen')).toEqual(['working', 'verified', 'solved', 'callback true'])
  })
})
