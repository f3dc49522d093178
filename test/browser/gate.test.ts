/** The page of the gate in real browsers, behind real proxies by the samples of deploy/gate. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, jest, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import { applyWeightChanges } from '../../src/score/weight-changes.ts'
import { site, testService } from '../support/app.ts'
import { axeFinds } from '../support/axe.ts'
import { FLAGS, launch } from '../support/chromium.ts'
import { closeLater, newFolder } from '../support/close-later.ts'
import { launchFirefox } from '../support/firefox.ts'
import { pass, PASS_KEY } from '../support/pass.ts'
import { needProgram } from '../support/programs.mjs'
import { startScreen } from '../support/screen.ts'
import {
  ask,
  gateFiles,
  NAVIGATION,
  PROXIES,
  startCdn,
  startGate,
  startNginxWithTls,
  startSite,
} from '../support/gate.ts'

jest.setTimeout(120_000)

const serviceOf = (change: Parameters<typeof site>[0]) =>
  testService({
    siteList: [site({ hostnames: ['127.0.0.1'], ...change })],
    assets: loadAssets('dist/assets'),
  })
// The score of a driven browser does not matter here.
const service = await serviceOf({ scoreThreshold: 0 })
const rules = [{ name: 'costly', when: { path: ['/search*'] }, effect: 'level 2' }]
const chromium = await launch()

type Stage = Parameters<typeof chromium.newContext>[0] & {
  startProxy?: typeof PROXIES.Caddy
  judging?: typeof service
}
/** A gate behind a proxy, a site, a tab of a new visitor, and the statuses of what the tab shows. */
async function stage({ startProxy = PROXIES.nginx, judging = service, ...options }: Stage = {}) {
  const gate = await startGate(gateFiles(judging.base, { rules, contact: 'help@example.com' }))
  const app = await startSite()
  const page = await newPage(options)
  const statuses: number[] = []
  page.on(
    'response',
    (res) => void (res.request().isNavigationRequest() && statuses.push(res.status())),
  )
  return { gate, app, page, statuses, url: (await startProxy(gate.host, app.host)).url }
}
const newPage = async (options: Stage = {}) =>
  closeLater(await chromium.newContext(options), (it) => it.close()).newPage()
const arrived = (page: Page) => page.getByRole('heading', { name: 'the site' }).waitFor()
const press = (page: Page) =>
  page.locator('#box [role=checkbox], #box button, #box [tabindex]').first().click()
const clearances = (lines: Record<string, unknown>[]) =>
  lines.filter((line) => line['message'] === 'clearance given')
const form = (action: string) =>
  `<!doctype html><meta charset="utf-8"><form method="post" enctype="multipart/form-data" action="${action}"><input type="file" name="file"><button>Send</button></form>`
/** A page of another site with a form for this one. */
const elsewhere = async (action: string) =>
  `http://${(await startSite(form(action))).host.replace('127.0.0.1', 'localhost')}/`
/** Registers a service worker of the site. It takes the next navigation. */
const withWorker = (
  script: string,
) => `navigator.serviceWorker.register('${script}').then(async ({ installing }) => {
  await navigator.serviceWorker.ready
  while (installing && installing.state !== 'activated') await new Promise((turn) => setTimeout(turn, 10))
})`
const WORKERS = ['/worker.js', '/worker.js?abortable']
/** A driven browser that nobody touches is below 0.5, and a step lifts it above. */
const UNSURE = applyWeightChanges({
  bounds: { automation: [0, 0], input: [0, 0], request: [0, 0], page: [0, 0], work: [0, 0] },
})
const BYTES = Buffer.alloc(70_000, 'a file of some size ')

describe.each(Object.entries(PROXIES))('in Chromium behind %s', (_name, startProxy) => {
  test('a visit ends at exactly its address, with one clearance and no redirect', async () => {
    const { gate, app, page, statuses, url } = await stage({ startProxy })
    const errors: string[] = []
    page.on(
      'console',
      (message) => void (message.type() === 'error' && errors.push(message.text())),
    )
    await page.goto(`${url}/a?x=1&y=2&z=%2F#part`)
    await arrived(page)
    expect(page.url()).toBe(`${url}/a?x=1&y=2&z=%2F#part`)
    expect(statuses).toEqual([403, 200])
    expect(app.at('/a?x=1&y=2&z=%2F')).toHaveLength(1)
    expect(clearances(gate.lines())).toHaveLength(1)
    // The browser's own line about the status of the page is the only one.
    expect(errors.filter((line) => !line.includes('403'))).toEqual([])
    await page.goto(`${url}/b`)
    await arrived(page)
    expect(statuses).toEqual([403, 200, 200])
  })

  test('a form with a file arrives once, from the same site and from another one', async () => {
    const { app, url } = await stage({ startProxy })
    for (const from of ['same', 'other']) {
      const page = await newPage()
      if (from === 'same') {
        await page.goto(`${url}/form`)
        await arrived(page)
        await page.setContent(form(`${url}/post?x=1&y=2`))
        await page.context().clearCookies()
      } else await page.goto(await elsewhere(`${url}/post?x=1&y=2`))
      await page.setInputFiles('input', {
        name: 'a.bin',
        mimeType: 'application/octet-stream',
        buffer: BYTES,
      })
      await page.getByRole('button', { name: 'Send' }).click()
      await arrived(page)
      expect(page.url()).toBe(`${url}/post?x=1&y=2`)
    }
    const posts = app.at('/post?x=1&y=2')
    expect(posts.map(({ method }) => method)).toEqual(['POST', 'POST'])
    expect(posts.every(({ bytes }) => bytes > BYTES.length && bytes < BYTES.length + 1000)).toBe(
      true,
    )
  })
})

describe('in Chromium', () => {
  test.each(WORKERS)(
    'behind the service worker %s the page is shown once the clearance has ended',
    async (script) => {
      const { app, page, url } = await stage()
      await page.goto(url)
      await arrived(page)
      await page.evaluate(withWorker(script))
      await page.context().clearCookies()
      await page.goto(`${url}/a?x=1`)
      await arrived(page)
      expect(app.at('/a?x=1')).toHaveLength(1)
    },
  )

  test('ten tabs at once all arrive, and one of them does the work', async () => {
    const { gate, app, page: first, url } = await stage()
    const paths = [...'0123456789'].map((name) => `/tab-${name}`)
    const pages = await Promise.all(paths.map(() => first.context().newPage()))
    await Promise.all(pages.map((page, i) => page.goto(url + paths[i])))
    await Promise.all(pages.map(arrived))
    expect(app.seen.map((one) => one.url).sort()).toEqual(paths)
    expect(clearances(gate.lines()).length).toBeLessThanOrEqual(2)
  })

  test('a costly path shows the box in the language of the visitor, and a press opens it', async () => {
    const { gate, page, url } = await stage({ locale: 'de-DE' })
    await page.goto(`${url}/search?q=1`)
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByText('Ich bin ein Mensch').waitFor()
    expect(await axeFinds(page)).toEqual([])
    await press(page)
    await arrived(page)
    expect(clearances(gate.lines()).map((line) => line['action'])).toEqual(['gate-pressed'])
  })

  test('the silent visit does all of its work where others hand in a part, and arrives', async () => {
    const { page, url } = await stage()
    // As to a device that is too slow: the time after which a part will do is over at once.
    await page.route('**/api/v1/challenge', async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { work: object }
      await route.fulfill({ response, json: { ...answer, work: { ...answer.work, b: 0 } } })
    })
    const solve = page.waitForRequest('**/api/v1/solve')
    await page.goto(`${url}/a`)
    const { length } = new URLSearchParams((await solve).postData()!).get('solution')!
    // Three bytes or more for each of 512 hits, in base64: a part has less.
    expect(length).toBeGreaterThanOrEqual((512 * 3 * 4) / 3)
    await arrived(page)
  })

  test('asked for a press within the silent visit, a visitor does not read that it is being checked', async () => {
    const judging = await serviceOf({ scoreThreshold: 0.5, stepUp: 'managed', weights: UNSURE })
    const { gate, page, url } = await stage({ judging, colorScheme: 'light' })
    await page.goto(`${url}/a`)
    const working = page.locator('[data-say=working]')
    await working.waitFor()
    await page.getByRole('button', { name: 'Please confirm' }).waitFor()
    expect(await working.isVisible()).toBe(false)
    await page.locator('#box .retry[aria-disabled=false]').click()
    await arrived(page)
    expect(clearances(gate.lines()).map((line) => line['action'])).toEqual(['gate'])
  })

  test('a token that the service saw solved at another address: the page says so, and asks for no press', async () => {
    const { app, page, url } = await stage()
    await page.route('**/.hv/pass', (route) =>
      route.fulfill({ status: 403, json: { error: 'refused', why: 'address' } }),
    )
    await page.goto(url)
    await page.getByText('at a different network address each time').waitFor()
    expect(await page.getByRole('group', { name: 'Human verification' }).count()).toBe(0)
    expect(app.seen).toEqual([])
  })

  test('the token for a clearance goes with no redirect', async () => {
    const { page, url } = await stage()
    const sent: string[] = []
    page.on(
      'request',
      (one) => void (one.postData()?.includes('svc-response=') && sent.push(one.url())),
    )
    const redirect = { status: 307, headers: { location: '/elsewhere' } }
    await page.route('**/.hv/pass', (route) => route.fulfill(redirect))
    await page.goto(`${url}/a`)
    await page.locator('[data-say=failed]:not([hidden])').waitFor()
    expect(sent).toEqual([`${url}/.hv/pass`])
  })

  test('stock Playwright gets no clearance: not silently at 0.33, and not by a press at 0.5', async () => {
    for (const [path, scoreThreshold] of Object.entries({ '/': 0.33, '/search': 0.5 })) {
      const { app, page, url } = await stage({ judging: await serviceOf({ scoreThreshold }) })
      await page.goto(url + path)
      await page.getByText('help@example.com').waitFor()
      await page.getByText('I am human').waitFor()
      await press(page)
      await page.getByText('This was not accepted').waitFor()
      expect(app.seen).toEqual([])
    }
  })

  test('a pass in the address lets in, and leaves the address', async () => {
    const vouching = await serviceOf({ scoreThreshold: 1, passKeys: [PASS_KEY] })
    // The ledger's generation is older than the pass by a minute.
    vouching.parts.ledger.beganAt = () => 1 as never
    const { page, url } = await stage({ judging: vouching })
    await page.goto(`${url}/a?x=1#hv=${await pass({ action: 'gate', hostname: '127.0.0.1' })}`)
    await arrived(page)
    expect(page.url()).toBe(`${url}/a?x=1`)
  })

  test('without JavaScript the page says what to do', async () => {
    const { page, url } = await stage({ javaScriptEnabled: false })
    await page.goto(url)
    expect(await page.locator('noscript').textContent()).toContain('Please turn on JavaScript')
    expect(await page.locator('noscript input[name=svc-response]').isVisible()).toBe(true)
  })

  test('a browser that keeps no cookies is told so, and does not loop', async () => {
    const { app, page, statuses, url } = await stage()
    // As a browser that drops every cookie, whatever its settings say.
    await page.route('**/.hv/pass', async (route) => {
      const res = await route.fetch()
      await page.context().clearCookies()
      await route.fulfill({ status: res.status() })
    })
    await page.goto(url)
    await page.getByText('Please allow cookies').waitFor()
    expect(statuses).toEqual([403, 403, 403, 403])
    expect(app.seen).toEqual([])
  })

  test('a visitor whose address changes with each request reads that, and not that cookies are off', async () => {
    const { app, page, statuses, url } = await stage()
    await page.goto((await startCdn(url)).url)
    await page.getByText('at a different network address each time').waitFor()
    expect(await page.getByText('cookies').isVisible()).toBe(false)
    // The service saw another address than the gate, so there is nothing to reload for.
    expect(statuses).toEqual([403])
    expect(app.seen).toEqual([])
  })

  test('a site that asks for a password of its own gets it, after the visit', async () => {
    const users = join(newFolder(), 'users')
    writeFileSync(users, 'ann:{PLAIN}pass')
    const password = `auth_basic "staff"; auth_basic_user_file ${users};`
    const startProxy = (gateHost: string, siteHost: string) =>
      PROXIES.nginx(gateHost, siteHost, (sample) =>
        sample.replace('auth_request /_hv;', `auth_request /_hv; ${password}`),
      )
    const httpCredentials = { username: 'ann', password: 'pass' }
    const { gate, app, page, statuses, url } = await stage({ startProxy, httpCredentials })
    await page.goto(url)
    await arrived(page)
    // The page of the gate, and the site. Playwright answers the question between them.
    expect(statuses).toEqual([403, 200])
    expect(app.seen).toHaveLength(1)
    const [cookie] = await page.context().cookies()
    const unknown = await ask(url, '/', { ...NAVIGATION, cookie: `hv=${cookie!.value}` })
    expect(unknown).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="staff"' },
    })
    expect(unknown.body).toContain('data-why="site"')
    expect(gate.lines().at(-1)).toMatchObject({ message: '401 of the site itself' })
  })

  test('while the service is away the page says so, and goes on when it is back', async () => {
    const { app, page, url } = await stage()
    let isAway = true
    await page.route('**/assets/captcha.js*', (route) =>
      isAway ? route.abort() : route.continue(),
    )
    await page.goto(url)
    await page.getByText('Verification is not available').waitFor()
    isAway = false
    await arrived(page)
    expect(app.seen).toHaveLength(1)
  })
})

test.each([
  [
    'chromium',
    [...FLAGS, '--disable-component-update', '--disable-sync', '--user-data-dir=FOLDER'],
  ],
  ['firefox', ['--no-remote', '--profile', 'FOLDER']],
] as const)(
  '%s that no program drives and nobody touches is let in silently at 0.33',
  async (program, flags) => {
    const { gate, app, url } = await stage({ judging: await serviceOf({ scoreThreshold: 0.33 }) })
    const folder = newFolder()
    const args = [...flags.map((flag) => flag.replace('FOLDER', folder)), `${url}/a?x=1`]
    const env = { PATH: process.env['PATH'], HOME: folder, DISPLAY: await startScreen() }
    const child = spawn(needProgram(program), args, { env, stdio: 'ignore', detached: true })
    closeLater(child, (it) => process.kill(-it.pid!, 'SIGKILL'))
    while (app.at('/a?x=1').length === 0) await sleep(50)
    expect(clearances(gate.lines())).toEqual([expect.objectContaining({ action: 'gate' })])
  },
)

test('in Firefox a visit ends at exactly its address; a form with a file arrives once, after the question', async () => {
  const { app, url } = await stage()
  // WebDriver does not see the question. Firefox has this setting for tests: the answer is yes.
  const firefox = await launchFirefox({ 'dom.confirm_repost.testing.always_accept': true })
  const page = await firefox.newPage()
  await page.goto(`${url}/a?x=1&y=2&z=%2F`)
  await page.waitForFunction("document.title === 'the site'")
  expect(page.url()).toBe(`${url}/a?x=1&y=2&z=%2F`)
  expect(app.at('/a?x=1&y=2&z=%2F')).toHaveLength(1)

  await page.deleteCookie({ name: 'hv' })
  const file = join(newFolder(), 'a.bin')
  writeFileSync(file, BYTES)
  await page.setContent(form(`${url}/post`))
  await (await page.$('input[type=file]'))!.uploadFile(file)
  await page.click('button')
  await page.waitForFunction("location.pathname === '/post' && document.title === 'the site'")
  expect(app.at('/post').map(({ method, bytes }) => [method, bytes > BYTES.length])).toEqual([
    ['POST', true],
  ])
})

test('in Firefox a form of another site arrives once, after the question', async () => {
  const { gate, app, url } = await stage({ startProxy: startNginxWithTls })
  const firefox = await launchFirefox({ 'dom.confirm_repost.testing.always_accept': true })
  const page = await firefox.newPage()
  await page.goto(await elsewhere(`${url}/post`))
  const file = join(newFolder(), 'a.bin')
  writeFileSync(file, BYTES)
  await (await page.$('input[type=file]'))!.uploadFile(file)
  await page.click('button')
  await page.waitForFunction("document.title === 'the site'")
  expect(app.at('/post').map(({ method, bytes }) => [method, bytes > BYTES.length])).toEqual([
    ['POST', true],
  ])
  expect(clearances(gate.lines())).toHaveLength(1)
})

test.each(WORKERS)('in Firefox behind the service worker %s the page is shown', async (script) => {
  const { app, url } = await stage()
  const page = await (await launchFirefox()).newPage()
  await page.goto(url)
  await page.waitForFunction("document.title === 'the site'")
  await page.evaluate(withWorker(script))
  await page.deleteCookie({ name: 'hv' })
  await page.goto(`${url}/a?x=1`)
  await page.waitForFunction("document.title === 'the site'")
  expect(app.at('/a?x=1')).toHaveLength(1)
})
