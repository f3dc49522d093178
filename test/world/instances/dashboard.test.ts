/**
 * The dashboard: a real process, a real Redis, a real Chromium. The numbers on the page are those that the load
 * generator counted; pictures of it are in build/screenshots/dashboard-*.png.
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import type { LastHourAnswer } from '../../../src/ops/last-hour-answer.ts'
import { launch } from '../../browser/stage.ts'
import { parseExposition } from '../../rooms/ops/exposition-format.ts'
import { axeFinds } from '../../support/axe.ts'
import { keyringFile, type ServiceProcess, startService } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { type Crowd, crowd } from './crowd.ts'
import { type Counted, emptyCounts, MIXED, mixedLoad } from './mixed-load.ts'

const PICTURES = fileURLToPath(new URL('../../../build/screenshots', import.meta.url))

let redis: TestRedis
let service: ServiceProcess
let customers: Crowd
let browser: Browser
let page: Page
const counted: Counted = emptyCounts()
const asked: string[] = []
const said: string[] = []

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true })
  redis = await startRedis()
  service = await startService({ config: MIXED, keyring: keyringFile(), env: { HV_REDIS_URL: redis.url } })
  customers = crowd(32)
  browser = await launch()
  page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(error.message))
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await customers?.close()
  await service?.kill()
  await redis?.remove()
}, 30_000)

/** Tokens of each site. */
const EACH = 60

const lastHour = async (): Promise<LastHourAnswer> =>
  (await (await fetch(`${service.opsUrl}/last-hour`)).json()) as LastHourAnswer
const text = (id: string): Promise<string> => page.locator(`#${id}`).innerText()
const tableOf = async (id: string): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    (
      await page
        .locator(`#${id} tbody tr`)
        .evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.firstChild?.textContent ?? '')),
        )
    ).map(([first, ...rest]) => [first!, rest]),
  )
const whole = (n: number): string => n.toLocaleString('en')
/** Loads the page afresh and waits for its first numbers. */
async function open(): Promise<void> {
  await page.goto(`${service.opsUrl}/`)
  await page.locator('body[data-state=shown]').waitFor()
}
const picture = (name: string) => page.screenshot({ path: `${PICTURES}/dashboard-${name}.png`, fullPage: true })

test('with nobody there yet, it says so', async () => {
  await open()
  expect(await text('health-says')).toMatch(/^All is well: the ledger works/)
  expect(await text('scores-says')).toMatch(/^No score/)
  expect(await axeFinds(page)).toEqual([])
  await picture('empty-light')
}, 60_000)

describe('after a few thousand requests of all kinds', () => {
  beforeAll(async () => {
    await mixedLoad(customers, service, counted, EACH)
    await open()
  }, 120_000)

  test('the last hour and /metrics have what the load generator counted', async () => {
    const { minutes, totals } = await lastHour()
    const requests = new Map<string, number>()
    for (const { counts } of minutes)
      for (const [key, n] of Object.entries(counts)) requests.set(key, (requests.get(key) ?? 0) + n)
    expect(Object.fromEntries(requests)).toEqual(Object.fromEntries(counted.requests))
    for (const [key, n] of counted.tokens) expect([key, totals[`site ${key} solved`]]).toEqual([key, n])
    expect(totals['network 203.0.113.0/24']).toBe(counted.requests.get('challenge rate-limit-exceeded'))

    const res = await fetch(`${service.opsUrl}/metrics`)
    expect(res.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const { samples } = parseExposition(await res.text()).get('hv_requests_total')!
    const metrics = samples.map(({ labels, value }) => [`${labels['operation']} ${labels['code']}`, value])
    expect(Object.fromEntries(metrics)).toEqual(Object.fromEntries(counted.requests))
  })

  test('the page shows the same numbers', async () => {
    const verdicts = (site: string, ...codes: string[]) =>
      codes.reduce((sum, code) => sum + (counted.verdicts.get(`hv_site_${site} ${code}`) ?? 0), 0)
    const codes = Object.entries(await tableOf('codes')).map(([code, [n]]) => [`siteverify ${code}`, n])
    const wanted = [...counted.requests].filter(([key]) => key.startsWith('siteverify '))
    expect(Object.fromEntries(codes)).toEqual(Object.fromEntries(wanted.map(([key, n]) => [key, whole(n)])))
    expect(Object.keys(await tableOf('reasons')).length).toBeGreaterThan(1)
    const sites = await tableOf('sites')
    for (const name of ['bookshop', 'openbank', 'newsletter']) {
      const [, tokens, accepted, rejected] = sites[`The ${name}`]!
      expect([name, tokens]).toEqual([name, whole(counted.tokens.get(`hv_site_${name}`)!)])
      expect([name, accepted]).toEqual([name, whole(verdicts(name, 'accepted'))])
      expect([name, rejected]).toEqual([name, whole(verdicts(name, 'low-score', 'timeout-or-duplicate'))])
    }
    expect(await text('tile-accepted')).toBe(whole(counted.requests.get('siteverify accepted')!))
    expect(await text('tile-limited')).toBe(whole(counted.requests.get('challenge rate-limit-exceeded')!))
    expect((await tableOf('networks'))['203.0.113.0/24']).toEqual([await text('tile-limited')])
  })

  test('the scores of a site are held against its threshold, and a site whose tokens nobody verifies is named', async () => {
    await page.locator('#score-site').selectOption('hv_site_openbank')
    expect(await text('scores-says')).toContain('the line is the threshold in force, 0.97')
    const rows = await page
      .locator('#scores-table tbody tr')
      .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent!)))
    const sum = rows.reduce((total, [, above, below]) => total + Number(above) + Number(below), 0)
    expect(sum).toBe(counted.scores.get('openbank')!.length)
    expect(await text('problems')).toContain(`The newsletter: none of ${EACH} tokens was verified`)
  })

  test('axe finds no violation; pictures in light, dark and narrow', async () => {
    await open()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeFinds(page)).toEqual([])
      await picture(`full-${colorScheme}`)
    }
    await page.setViewportSize({ width: 390, height: 800 })
    await picture('narrow-dark')
    const { wide, seen } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, seen: innerWidth }))
    expect(wide).toBeLessThanOrEqual(seen)
    await page.setViewportSize({ width: 1280, height: 1000 })
    await page.emulateMedia({ colorScheme: 'light' })
  }, 60_000)

  test('it asks nobody but its own listener, and breaks no policy', () => {
    expect(new Set(asked.map((url) => new URL(url).origin)).size).toBe(1)
    expect(said).toEqual([])
  })
})

test('the public listener has nothing of the operators’, and theirs none of the operations', async () => {
  const forged = { 'x-forwarded-host': new URL(service.opsUrl).host, 'x-forwarded-for': '127.0.0.1' }
  for (const path of ['/', '/last-hour', '/metrics', '/live', '/ready', '/dashboard.js', '/dashboard.css']) {
    for (const headers of [{}, { ...forged, 'x-original-url': path }])
      expect([path, (await fetch(`${service.url}${path}`, { headers })).status]).toEqual([path, 404])
    expect([path, (await fetch(`${service.opsUrl}${path}`)).status]).toEqual([path, 200])
  }
  for (const path of ['/api/v1/challenge', '/api/v1/solve', '/api/v1/siteverify', '/assets/captcha.js'])
    expect((await fetch(`${service.opsUrl}${path}`, { method: 'POST' })).status).toBe(404)
})

describe('when something goes', () => {
  test('without Redis it says so', async () => {
    await redis.stop()
    await page.waitForFunction(() =>
      document.querySelector('#problems')!.textContent!.includes('This process cannot use the ledger'),
    )
    expect(await page.locator('#health').getAttribute('data-level')).toBe('bad')
    await picture('redis-down-light')
  }, 60_000)

  test('a page that loses its process keeps its numbers, and says that they are old', async () => {
    await service.kill()
    await page.waitForFunction(() => document.querySelector('#health-says')!.textContent!.includes('cannot reach'))
    expect(await text('tile-accepted')).not.toBe('–')
  }, 30_000)
})
