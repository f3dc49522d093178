import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { createApp } from '../../src/app.ts'
import { type Listening, listen } from '../../src/http/listen.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { container } from '../support/customer.ts'
import { fetchForm, launch, type Stage, stage, twoButtons } from './stage.ts'
import { seconds } from '../../src/domain/words.ts'

/** The real widget in a real Chromium against the real service: tokens, Redis, work and verification, nothing stubbed. */
declare const svcCaptcha: SvcCaptcha

let browser: Browser
let on: Stage
/** A service that comes back on its old port. */
let again: Listening | undefined
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

async function start(change: Parameters<typeof stage>[1] = {}): Promise<void> {
  on = await stage(browser, change)
  on.customer.page = twoButtons(on.service.base)
}
beforeEach(() => start())
afterEach(async () => {
  await again?.stop(0)
  again = undefined
  await on.close()
})

const framedForm = (id: string): string =>
  `<form method="post" action="/${id}" target="frame"><input name="email" aria-label="${id}">${container(on.service.base)}<button>Send ${id}</button></form>`

describe('a form', () => {
  test('is worked for at its first touch, and its token is minted at the submit and accepted', async () => {
    await on.open()
    expect(await on.state()).toBe('idle')
    expect(on.calls('challenge')).toHaveLength(0)
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    expect(on.calls('challenge')).toHaveLength(1)
    expect(on.calls('solve')).toHaveLength(0)
    await on.page.getByText('Free').click()
    await on.arrived(1)
    expect(on.customer.submissions[0]).toMatchObject({ path: '/handle', verdict: { success: true, 'error-codes': [] } })
    expect(on.calls('solve')).toHaveLength(1)
  })

  test('submitted before the work is done is held, then sent with the button that was pressed', async () => {
    await on.close()
    await start({ work: { level: 5, maxLevel: 6, humanCost: seconds(60), fallback: true } })
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.getByText('Paid').click({ noWaitAfter: true })
    expect(await on.state()).toBe('working')
    expect(await on.status()).toContain('your form is sent')
    await on.arrived(1)
    expect(on.customer.submissions[0]).toMatchObject({ path: '/paid', verdict: { success: true } })
    expect(on.customer.submissions[0]!.fields).toContainEqual(['plan', 'paid'])
    expect(on.customer.submissions[0]!.fields.filter(([name]) => name === 'svc-response')).toHaveLength(1)
  })

  test('that is double-clicked is sent once', async () => {
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.getByText('Free').dblclick({ noWaitAfter: true })
    await on.arrived(1)
    await on.page.waitForTimeout(800)
    expect(on.customer.submissions).toHaveLength(1)
  })

  test('that stays on the page is sent once for a double click, and again for a second submit with a fresh token', async () => {
    on.customer.page = fetchForm(on.service.base)
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    await on.page.getByText('Free').dblclick()
    await on.received(1)
    await on.page.waitForTimeout(500)
    expect(on.customer.submissions).toHaveLength(1)
    await on.page.getByText('Free').click()
    await on.received(2)
    expect(on.customer.submissions.map(({ verdict }) => verdict['success'])).toEqual([true, true])
    expect(on.tokenOf(1)).not.toBe(on.tokenOf(0))
  })

  test('that is double-clicked with a token in hand and the next work done is sent once', async () => {
    on.customer.page = fetchForm(on.service.base)
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.getByText('Free').click()
    await on.received(1)
    await on.page.evaluate(() => svcCaptcha.reset())
    await on.until('verified')
    await on.page.getByText('Free').dblclick()
    await on.received(2)
    await on.page.waitForTimeout(800)
    expect(on.customer.submissions).toHaveLength(2)
  })

  test('that is pressed again while the page is leaving is sent once', async () => {
    on.customer.delayMs = 1500
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    const button = await on.page.getByText('Free').boundingBox()
    for (let press = 0; press < 3; press++) {
      await on.page.mouse.click(button!.x + 5, button!.y + 5)
      await on.page.waitForTimeout(400)
    }
    await on.page.getByText('received').waitFor()
    expect(on.customer.submissions).toHaveLength(1)
  })

  test('is filled in and sent by the keyboard alone', async () => {
    await on.open()
    await on.page.keyboard.press('Tab')
    await on.page.keyboard.type('a@example.com')
    await on.page.keyboard.press('Tab')
    expect(await on.page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute('role'))).toBe(
      'checkbox',
    )
    await on.page.keyboard.press('Shift+Tab')
    await on.page.keyboard.press('Enter')
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
    // The first button is the one that Enter presses.
    expect(on.customer.submissions[0]!.fields).toContainEqual(['plan', 'free'])
  })

  test('whose button wants no validation is sent as it is, held or not', async () => {
    on.customer.page = twoButtons(on.service.base).replace('formaction="/paid"', 'formaction="/draft" formnovalidate')
    await on.open()
    await on.page.getByText('Paid').click()
    await on.arrived(1)
    expect(on.customer.submissions[0]).toMatchObject({ path: '/draft', verdict: { success: true } })
    expect(on.customer.submissions[0]!.fields).toContainEqual(['email', ''])
  })

  test('that the browser finds incomplete is not sent, and no token is spent on it', async () => {
    await on.open()
    await on.page.getByLabel('Email').focus()
    await on.until('ready')
    await on.page.getByText('Free').click()
    await on.page.waitForTimeout(300)
    expect(on.customer.submissions).toHaveLength(0)
    expect(on.calls('solve')).toHaveLength(0)
  })

  test('shows its listeners a submit only when the token is there', async () => {
    on.customer.page += `<script>window.seen = []
      for (const capture of [true, false])
        document.addEventListener('submit', (event) => {
          event.preventDefault()
          seen.push(new FormData(event.target).get('svc-response').length > 20)
        }, capture)</script>`
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.getByText('Free').click()
    await on.until('verified')
    await on.page.waitForFunction('seen.length > 1')
    expect(await on.page.evaluate('seen')).toEqual([true, true])
  })
})

describe('without the service', () => {
  test('the form is not sent; the visitor reads why, and tries again when it is back', async () => {
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    await on.page.evaluate(() => {
      document.addEventListener('svc-captcha:error', (event) =>
        Object.assign(window, { detail: (event as CustomEvent).detail as unknown }),
      )
    })
    const port = Number(new URL(on.service.base).port)
    await on.service.stop(0)
    await on.page.getByText('Free').click()
    await on.until('failed')
    expect(await on.status()).toContain('Your form was not sent')
    expect(await on.page.evaluate('detail')).toMatchObject({ code: 200, retryable: true })
    expect(on.customer.submissions).toHaveLength(0)

    again = await listen(createApp(on.service.parts), { host: '127.0.0.1', port })
    await on.page.getByRole('button', { name: 'Try again' }).click()
    await on.arrived(1)
    expect(on.customer.submissions[0]).toMatchObject({ path: '/handle', verdict: { success: true } })
    expect(on.customer.submissions[0]!.fields).toContainEqual(['plan', 'free'])
  })

  test('that has lost its Redis, the form waits, and is sent by itself when the service has it back', async () => {
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    await on.redis.stop()
    await on.page.getByText('Free').click({ noWaitAfter: true })
    await on.until('waiting')
    expect(on.customer.submissions).toHaveLength(0)
    await on.redis.start()
    await on.arrived(1)
    expect(on.customer.submissions[0]).toMatchObject({ path: '/handle', verdict: { success: true } })
  }, 40_000)

  test('a page that is not set up correctly says so to its maker, by number', async () => {
    on.customer.page = on.customer.page.replace('data-action="sign-up"', '')
    const errors: string[] = []
    on.page.on('console', (message) => errors.push(message.text()))
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.getByText('Free').click()
    await on.until('failed')
    expect(errors.join()).toContain('svc-captcha: 101')
    expect(await on.status()).toContain('(101)')
    expect(on.customer.submissions).toHaveLength(0)
  })
})

describe('a page', () => {
  test('with several forms and widgets sends each with a token of its own', async () => {
    on.customer.page = `${framedForm('one')}${framedForm('two')}<iframe name="frame"></iframe>`
    await on.open()
    await on.page.getByLabel('one').fill('1')
    await on.until('ready')
    expect(await on.state(1)).toBe('idle')
    await on.page.getByText('Send one').click()
    await on.page.getByText('Send two').click()
    await on.received(2)
    expect(on.customer.submissions.map(({ path, verdict }) => [path, verdict['success']])).toEqual(
      expect.arrayContaining([
        ['/one', true],
        ['/two', true],
      ]),
    )
    expect(on.tokenOf(0)).not.toBe(on.tokenOf(1))
  })

  test('asks nobody but the service, without cookies and without a preflight', async () => {
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    await on.page.getByText('Free').click()
    await on.arrived(1)
    const hosts = new Set(
      on.requests.filter((one) => one.url().startsWith('http')).map((one) => new URL(one.url()).origin),
    )
    expect([...hosts].sort()).toEqual([on.customer.url, on.service.base].sort())
    expect(on.requests.filter((one) => one.method() === 'OPTIONS')).toHaveLength(0)
    expect(on.service.lines().filter((line) => line['method'] === 'OPTIONS')).toHaveLength(0)
    expect(await on.page.context().cookies()).toHaveLength(0)
    // The script, challenge, solve: nothing else.
    expect(on.requests.filter((one) => one.url().startsWith(on.service.base))).toHaveLength(3)
  })

  test('under a strict policy without blob: still gets its token, on the main thread, and names the directive', async () => {
    on.customer.headers = {
      'content-security-policy':
        `default-src 'none'; script-src ${on.service.base}; connect-src ${on.service.base}; form-action 'self'; ` +
        `worker-src 'none'; img-src data:; require-trusted-types-for 'script'`,
    }
    const said: string[] = []
    on.page.on('console', (message) => said.push(message.text()))
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    await on.page.getByText('Free').click()
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
    expect(said.join('\n')).toContain('lacks "worker-src blob:"')
    expect(said.join('\n')).not.toContain('style-src')
  })

  test('may load the script twice, mount twice and take the container out', async () => {
    on.customer.page += `<script src="${on.service.base}/assets/captcha.js?v=2" defer></script>`
    await on.open()
    await on.until('idle')
    expect(await on.page.locator('.svc-captcha .box').count()).toBe(1)
    const ids = await on.page.evaluate(() => {
      const api = svcCaptcha
      return [api.render('.svc-captcha'), api.render('.svc-captcha')]
    })
    expect(ids[0]).toBe(ids[1])
    await on.page.evaluate(() => {
      svcCaptcha.remove()
    })
    // Longer than the watch for new containers needs: what a script took out stays out.
    await on.page.waitForTimeout(300)
    expect(await on.page.locator('.svc-captcha > *').count()).toBe(0)
    await on.page.evaluate(() => svcCaptcha.render('.svc-captcha'))
    await on.until('idle')
  })
})
