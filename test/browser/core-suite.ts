import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import { ENGLISH } from '../../widget/src/texts.ts'
import { start as startServer } from '../published/examples/projects.ts'
import { SITEKEY } from '../support/app.ts'
import { newFolder } from '../support/close-later.ts'
import { type DrivenBrowser, KEYS } from '../support/driven-browser.ts'
import { container } from '../support/customer.ts'
import { HOSTILE } from '../support/proof/hostile.ts'
import { type ProofPages, serveProof } from '../support/proof/page.ts'
import { type ProofSet, proofSets, wrongTasks } from '../support/proof/sets.ts'
import { type Backstage, backstage, fetchForm, twoButtons } from './stage.ts'

const WORK = { level: 0, maxLevel: 0, humanCost: seconds(2), fallback: false }

/** More of them on demand: `PROOF_SETS=300 npm run test:only -- test/browser/firefox`. */
const SETS = Number(process.env['PROOF_SETS'] ?? 15)

/**
 * The core of the browser suite in each engine: real keys, real clicks, real service, real Redis.
 *
 * @param withoutJit starts it with its JIT off, and WASM with it, each under its name.
 */
export function coreSuite(
  called: string,
  start: () => Promise<DrivenBrowser>,
  withoutJit: readonly (readonly [when: string, start: () => Promise<DrivenBrowser>])[],
): void {
  let browser: DrivenBrowser
  let on: Backstage
  beforeAll(async () => {
    browser = await start()
  }, 90_000)
  beforeEach(() => begin())

  async function begin(change: Parameters<typeof backstage>[0] = {}): Promise<void> {
    await on?.close()
    on = await backstage({ work: WORK, ...change })
    on.customer.page = twoButtons(on.service.base)
  }
  const BOX = `document.querySelector('.svc-captcha')?.shadowRoot?.querySelector('svc-captcha-box')?.shadowRoot.querySelector('.box')`
  const status = (): Promise<unknown> =>
    browser.run(`return ${BOX}.querySelector('.status').textContent`)
  const until = (state: string): Promise<void> =>
    browser.until(`${BOX}?.classList.contains('${state}')`)
  async function open(): Promise<void> {
    await browser.open(on.customer.url)
    await until('idle')
  }
  const fill = (): Promise<void> => browser.type('[name=email]', 'a@example.com')
  const press = (plan: 'free' | 'paid'): Promise<void> => browser.click(`[value=${plan}]`)
  const readsReceived = (): Promise<void> =>
    browser.until(`document.body?.textContent === 'received'`)
  /** Successful calls only: a slow engine on a busy machine also requests other work, which these sites do not offer. */
  const calls = (operation: string): number =>
    on.service
      .lines()
      .filter(
        ({ message, code }) => message === operation && (code === 'issued' || code === 'solved'),
      ).length
  /** Fills the form in, and waits for the work. */
  async function prepare(): Promise<void> {
    await fill()
    await until('ready')
  }
  /** Presses "Free", and returns for each form whether its token was accepted. */
  async function sent(): Promise<unknown[]> {
    await press('free')
    await readsReceived()
    return success()
  }
  const success = (): unknown[] => on.customer.submissions.map(({ verdict }) => verdict['success'])

  describe(`in ${called} a form`, () => {
    test('is worked for at its first touch by workers of a blob:, and is accepted', async () => {
      await open()
      expect(calls('challenge')).toBe(0)
      await prepare()
      expect([calls('challenge'), calls('solve')]).toEqual([1, 0])
      expect(await sent()).toEqual([true])
      expect([calls('challenge'), calls('solve')]).toEqual([1, 1])
      expect(on.service.lines().filter((line) => line['method'] === 'OPTIONS')).toEqual([])
    })

    test('on a hostname that is not the site’s fails with the number 103', async () => {
      await browser.open(on.customer.url.replace('127.0.0.1', 'localhost'))
      await until('idle')
      await browser.run(
        `document.addEventListener('svc-captcha:error', ({ detail }) => { document.title = detail.code })`,
      )
      await press('free')
      await browser.until(`document.title === '103'`)
      expect(on.customer.submissions).toEqual([])
    })

    test('submitted too early is held, then sent once with the button that was pressed', async () => {
      await begin({ work: { level: 4, maxLevel: 6, humanCost: seconds(60), fallback: false } })
      await open()
      await fill()
      await press('paid')
      await readsReceived()
      expect(on.customer.submissions).toHaveLength(1)
      expect(on.customer.submissions[0]).toMatchObject({
        path: '/paid',
        verdict: { success: true },
      })
      expect(on.customer.submissions[0]!.fields.map(([name]) => name)).toEqual([
        'email',
        'svc-response',
        'plan',
      ])
      expect(on.customer.submissions[0]!.fields).toContainEqual(['plan', 'paid'])
    })

    test('that stays on the page is sent once for a double click, and again with a fresh token', async () => {
      on.customer.page = fetchForm(on.service.base)
      await open()
      await fill()
      await browser.doubleClick('[value=free]')
      await on.received(1)
      await new Promise((resolve) => setTimeout(resolve, 500))
      await press('free')
      await on.received(2)
      expect(success()).toEqual([true, true])
      expect(on.tokenOf(1)).not.toBe(on.tokenOf(0))
    })

    test('is sent by Enter in a field', async () => {
      await open()
      await fill()
      await browser.keys(KEYS.enter)
      await readsReceived()
      expect(success()).toEqual([true])
      expect(on.customer.submissions[0]!.fields).toContainEqual(['plan', 'free'])
    })

    test('is filled in, and the check box reached, by the keyboard alone', async () => {
      await open()
      await browser.keys(KEYS.tab)
      await browser.keys('a@example.com')
      await until('ready')
      await browser.keys(KEYS.tab)
      const focused =
        'document.activeElement.shadowRoot?.activeElement?.shadowRoot?.activeElement?.getAttribute("role")'
      expect(await browser.run(`return ${focused}`)).toBe('checkbox')
      await browser.keys(' ')
      await browser.keys(KEYS.tab)
      await browser.keys(KEYS.enter)
      await readsReceived()
      expect(success()).toEqual([true])
    })

    test('left open until its challenge expires is sent at the first try', async () => {
      await open()
      await prepare()
      on.ahead = 3_600_000
      expect(await sent()).toEqual([true])
      expect(calls('challenge')).toBe(2)
    })

    // After a form's POST Firefox keeps no page, with or without a widget; Chromium does, in tab.test.ts.
    test('that comes back from the back/forward cache is accepted', async () => {
      on.customer.page += `<script>
        addEventListener('pageshow', (event) => (document.title = 'came back: ' + event.persisted))</script>`
      await open()
      await prepare()
      await browser.open(`${on.customer.url}/elsewhere`)
      await browser.back()
      await browser.until(`document.title === 'came back: true'`)
      expect(await sent()).toEqual([true])
      expect([calls('challenge'), calls('solve')]).toEqual([1, 1])
    })

    test('that was left while its submit was held is not sent after Back without another press', async () => {
      on.customer.script = `<script>
        const realFetch = fetch
        fetch = async (...how) => {
          if (String(how[0]).endsWith('/challenge')) await new Promise((resolve) => (window.go = resolve))
          return realFetch(...how)
        }
        addEventListener('pageshow', (event) => (document.title = 'came back: ' + event.persisted))
      </script>${on.customer.script}`
      await open()
      await fill()
      await browser.until('window.go')
      await press('free')
      await browser.open(`${on.customer.url}/elsewhere`)
      await browser.back()
      await browser.until(`document.title.startsWith('came back')`)
      // A browser that did not keep the page has loaded it again.
      const isKept = await browser.run(`return document.title.endsWith('true')`)
      if (!isKept) await fill()
      await browser.until('window.go')
      await browser.run('go()')
      await until(isKept ? 'verified' : 'ready')
      await new Promise((resolve) => setTimeout(resolve, 500))
      expect(on.customer.submissions).toEqual([])
      expect(await sent()).toEqual([true])
    })

    test('whose service is down is not sent, and the visitor is told', async () => {
      await open()
      await prepare()
      await on.service.stop(0)
      await press('free')
      await until('failed')
      // On a machine without a network some engines report that they are offline, and so does the widget.
      const isOnline = (await browser.run('return navigator.onLine')) as boolean
      expect(await status()).toContain(isOnline ? 'was not sent' : ENGLISH.offline)
      expect(await browser.run(`return ${BOX}.querySelector('.retry').hidden`)).toBe(false)
      expect(on.customer.submissions).toEqual([])
    })
  })

  describe(`in ${called} a page`, () => {
    test('with two forms sends each with its own token', async () => {
      const framed = (id: string): string =>
        `<form method="post" action="/${id}" target="frame"><input name="email">${container(on.service.base)}<button id="${id}">Send</button></form>`
      on.customer.page = `${framed('one')}${framed('two')}<iframe name="frame"></iframe>`
      await open()
      await browser.click('#one')
      await on.received(1)
      await browser.click('#two')
      await on.received(2)
      expect(success()).toEqual([true, true])
      expect(on.tokenOf(0)).not.toBe(on.tokenOf(1))
    })

    test('whose policy blocks workers logs what to add, and does the work on the page', async () => {
      await begin({ work: { level: 3, maxLevel: 6, humanCost: seconds(60), fallback: false } })
      on.customer.headers = { 'content-security-policy': "worker-src 'none'" }
      // The console is out of reach; what is said there passes here first.
      on.customer.page += `<script>
        window.said = []
        const { warn } = console
        console.warn = (line) => { said.push(line); warn(line) }</script>`
      await open()
      await prepare()
      expect(await browser.run('return said.join()')).toContain('lacks "worker-src blob:"')
      expect(await sent()).toEqual([true])
    })

    test('shows that its form was refused', async () => {
      await open()
      await browser.run(`svcCaptcha.execute().then(() => svcCaptcha.refused())`)
      await until('failed')
      expect(await status()).toBe(ENGLISH.refused)
      await fill()
      expect(await sent()).toEqual([true])
    })

    test('in Arabic is written from right to left', async () => {
      on.customer.page = twoButtons(on.service.base, 'data-language="ar"')
      await open()
      expect(await browser.run(`return ${BOX}.dir + ' ' + ${BOX}.lang`)).toBe('rtl ar')
      const left = (part: string): Promise<number> =>
        browser.run(
          `return ${BOX}.querySelector('${part}').getBoundingClientRect().left`,
        ) as Promise<number>
      expect(await left('.mark')).toBeGreaterThan(await left('.label'))
      await prepare()
    })

    test('mounts, takes away and mounts again', async () => {
      await open()
      await browser.run(`const place = document.querySelector('.svc-captcha')
        svcCaptcha.remove(place)
        if (place.childElementCount) throw new Error('left ' + place.innerHTML)`)
      // Longer than the watch for new containers needs.
      await new Promise((resolve) => setTimeout(resolve, 300))
      await browser.run(`const place = document.querySelector('.svc-captcha')
        if (place.childElementCount) throw new Error('mounted again')
        if (svcCaptcha.render(place) !== svcCaptcha.render(place)) throw new Error('two')`)
      await until('idle')
      await prepare()
      expect(await sent()).toEqual([true])
    })
  })

  describe(`in ${called} a first visit to`, () => {
    test('the page of README.md is accepted', async () => {
      const [, html = ''] = /```html\n(.*?)```/s.exec(readFileSync('README.md', 'utf8'))!
      on.customer.script = ''
      on.customer.page = html
        .replaceAll('https://verify.example.com', on.service.base)
        .replace('hv_site_…', SITEKEY)
        .replace('…', '<input name="email">')
      await open()
      await fill()
      await browser.click('form > button')
      await readsReceived()
      expect(success()).toEqual([true])
    })

    test('the demonstration, hv demo, is answered: the call, and the form', async () => {
      const config = join(newFolder(), 'demo.yaml')
      // The score of a driven browser does not matter here.
      writeFileSync(
        config,
        readFileSync('config/demo.yaml', 'utf8').replace('step_up: managed', 'score_threshold: 0'),
      )
      const args = ['dist/main.js', 'demo', '--config', config, '--site-listen', '127.0.0.1:%PORT%']
      const { url } = await startServer('.', args, {
        HV_LISTEN: '127.0.0.1:0',
        HV_OPS_LISTEN: '127.0.0.1:0',
      })
      await browser.open(url)
      await until('idle')
      await browser.click('#call')
      await browser.until(
        `document.querySelector('#answer').value.startsWith('Green tea for a person')`,
      )
      await browser.type('#name', 'Ada')
      await browser.type('#email', 'ada@example.com')
      await browser.keys(KEYS.enter)
      await browser.until(`document.querySelector('[data-outcome]')`)
      const outcome = await browser.run(
        `return document.querySelector('[data-outcome]').textContent`,
      )
      expect(outcome).toContain('all seven rules held')
    })
  })

  describe(`in ${called} a script`, () => {
    test('gets tokens that are accepted, resets to a fresh one in one round trip', async () => {
      await open()
      const first = (await browser.run('return svcCaptcha.execute()')) as string
      expect(await on.verified(first)).toBe(true)
      for (let waited = 0; calls('challenge') < 2 && waited < 5000; waited += 50)
        await new Promise((resolve) => setTimeout(resolve, 50))
      await new Promise((resolve) => setTimeout(resolve, 300))
      const solves = calls('solve')
      const second = (await browser.run(`return new Promise((resolve) => {
        document.addEventListener('svc-captcha:solved', (event) => resolve(event.detail.token), { once: true })
        svcCaptcha.reset()
      })`)) as string
      expect(second).not.toBe(first)
      expect(calls('solve')).toBe(solves + 1)
      expect(await on.verified(second)).toBe(true)
    })

    test('has its token renewed before it expires, without a sign', async () => {
      await begin({ tokenLifetime: seconds(3) })
      await open()
      const first = await browser.run(`
        window.seen = []
        for (const name of ['solved', 'expired', 'error'])
          document.addEventListener('svc-captcha:' + name, () => seen.push(name))
        return svcCaptcha.execute()`)
      await browser.until(`svcCaptcha.getResponse() !== ${JSON.stringify(first)}`)
      const held = (await browser.run('return svcCaptcha.getResponse()')) as string
      expect(await on.verified(held)).toBe(true)
      expect(await browser.run('return seen')).toEqual(['solved'])
    })
  })
  describe(`in ${called} every task of the proof is right`, () => {
    let pages: ProofPages
    beforeAll(async () => {
      pages = await serveProof(HOSTILE)
    })

    test.each(HOSTILE)('on a page that is $name', async ({ name }) => {
      const sets = proofSets(`${called} ${name}`, SETS)
      expect(await wrongIn(browser, pages.address(name), sets)).toEqual([])
      expect(pages.reports).toEqual([])
    })
  })

  // As Tor Browser's middle setting and Lockdown Mode have it: fifty times slower at s32.1. docs/design/work.md, "Browsers without a JIT"
  test.each(withoutJit)(
    `${called} without a JIT gets a token by pb.1, %s`,
    async (_when, startSlow) => {
      const slow = await startSlow()
      await begin({ work: { level: 3, maxLevel: 3, humanCost: seconds(2), fallback: true } })
      await slow.open(on.customer.url)
      await slow.type('[name=email]', 'a@example.com')
      await slow.click('[value=free]')
      // It measures how slow it is before it asks for the other work: that takes seconds where the machine is shared.
      await on.received(1, 60_000)
      expect(success()).toEqual([true])
      expect(calls('challenge')).toBe(2)
      const line = on.service.lines().find(({ code }) => code === 'solved')
      expect(JSON.stringify(line?.['decision'])).toContain('work-by-fallback')
      await slow.close()
    },
    120_000,
  )
}

/** The first tasks of the sets that a browser gets wrong on a page. */
export async function wrongIn(browser: DrivenBrowser, address: string, sets: readonly ProofSet[]) {
  await browser.open(address)
  await browser.until('window.answerAll')
  const proofs = JSON.stringify(sets.map(({ proof }) => proof))
  const answers = String(await browser.run('return window.answerAll(arguments[0])', proofs))
  return wrongTasks(sets, JSON.parse(answers) as (number[][] | null)[]).slice(0, 3)
}
