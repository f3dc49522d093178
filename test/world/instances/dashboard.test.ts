/**
 * The dashboard: two real processes, a real Redis, a real Chromium. The numbers on the page are those that the
 * load generator counted; pictures of it are in build/screenshots/dashboard-*.png.
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { axeFinds } from '../../support/axe.ts'
import type { FleetAnswer } from '../../../src/ops/fleet/fleet-answer.ts'
import { share } from '../../../dashboard/src/texts.ts'
import { launch } from '../../browser/stage.ts'
import { parseExposition } from '../../rooms/ops/metrics/exposition-format.ts'
import { keyringFile, type ServiceProcess, sleep, startService } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { type Crowd, crowd } from './crowd.ts'
import { type Counted, emptyCounts, MIXED, mixedLoad } from './mixed-load.ts'

const PICTURES = fileURLToPath(new URL('../../../build/screenshots', import.meta.url))

let redis: TestRedis
let one: ServiceProcess
let two: ServiceProcess
let customers: Crowd
let browser: Browser
let page: Page
const counted: Counted = emptyCounts()
const asked: string[] = []
const said: string[] = []

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true })
  redis = await startRedis()
  const how = { config: MIXED, keyring: keyringFile(), env: { HV_REDIS_URL: redis.url } }
  ;[one, two] = await Promise.all([startService(how), startService(how)])
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
  await browser.close()
  await customers.close()
  await Promise.all([one.stop(), two.kill()])
  await redis.remove()
}, 30_000)

const fleet = async (from: ServiceProcess, minutes = 60): Promise<FleetAnswer> =>
  (await (await fetch(`${from.opsUrl}/fleet?minutes=${minutes}`)).json()) as FleetAnswer
const flat = (requests: FleetAnswer['requests']): Record<string, number> =>
  Object.fromEntries(
    Object.entries(requests).flatMap(([operation, codes]) =>
      Object.entries(codes).map(([code, n]) => [`${operation} ${code}`, n]),
    ),
  )
/** Counts come within five seconds, and answers are good for two. @throws {Error} after 80 s. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 80_000; Date.now() < end; await sleep(250)) if (await holds()) return
  throw new Error('it never came true')
}
const text = (id: string): Promise<string> => page.locator(`#${id}`).innerText()
const tableOf = async (id: string): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    (
      await page
        .locator(`#${id} tr`)
        .evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.firstChild?.textContent ?? '')),
        )
    ).map(([first, ...rest]) => [first!, rest]),
  )
const whole = (n: number): string => n.toLocaleString('en')
/** Loads the page afresh and waits for its first numbers. */
async function open(minutes = '60'): Promise<void> {
  await page.goto(`${one.opsUrl}/`)
  if (minutes !== '60') await page.locator(`input[value="${minutes}"]`).check()
  await page.locator('body[data-state=shown]').waitFor()
}
async function picture(name: string): Promise<void> {
  await page.mouse.move(0, 0)
  await page.waitForTimeout(300)
  const { length } = await page.screenshot({ path: `${PICTURES}/dashboard-${name}.png`, fullPage: true })
  expect(length).toBeGreaterThan(20_000)
}

describe('with nobody there yet', () => {
  test('it says what will appear where, in light and dark', async () => {
    await until(async () => (await fleet(one)).instances.length === 2)
    await open()
    for (const part of ['verdicts', 'scores', 'sites', 'requests', 'speed', 'solve', 'level', 'limited'])
      expect([part, await page.locator(`#${part}-empty`).isVisible()]).toEqual([part, true])
    expect(await page.locator('#score-site').innerText()).toBe('none yet')
    expect(await text('health-says')).toMatch(/^All is well: 2 processes running, the ledger works/)
    expect(await axeFinds(page)).toEqual([])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await picture(`empty-${colorScheme}`)
    }
  }, 60_000)
})

describe('after a few thousand requests of all kinds', () => {
  beforeAll(async () => {
    await mixedLoad(customers, [one, two], counted)
    const total = [...counted.requests.values()].reduce((sum, n) => sum + n, 0)
    expect(total).toBeGreaterThan(2000)
    await until(async () => Object.values(flat((await fleet(one)).requests)).reduce((sum, n) => sum + n, 0) >= total)
    await page.emulateMedia({ colorScheme: 'light' })
    await open()
  }, 120_000)

  test('both processes tell the same of the whole fleet: what the load generator counted', async () => {
    for (const service of [one, two]) {
      const { requests, scope, sites, limited } = await fleet(service)
      expect(scope).toBe('fleet')
      expect(flat(requests)).toEqual(Object.fromEntries(counted.requests))
      const verdicts = sites.flatMap(({ site, verdicts: by }) =>
        Object.entries(by).map(([code, n]) => [`${site} ${code}`, n]),
      )
      expect(Object.fromEntries(verdicts)).toEqual(Object.fromEntries(counted.verdicts))
      expect(Object.fromEntries(sites.map(({ site, tokens }) => [site, tokens]))).toEqual(
        Object.fromEntries(counted.tokens),
      )
      expect(limited).toEqual([
        { network: '203.0.113.0/24', times: counted.requests.get('challenge rate-limit-exceeded') },
      ])
    }
  })

  test('so does /metrics, added up over the processes', async () => {
    const sums: Record<string, number> = {}
    for (const service of [one, two]) {
      const res = await fetch(`${service.opsUrl}/metrics`)
      expect(res.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
      for (const { labels, value } of parseExposition(await res.text()).get('hv_requests_total')!.samples) {
        const key = `${labels['operation']} ${labels['code']}`
        sums[key] = (sums[key] ?? 0) + value
      }
    }
    expect(sums).toEqual(Object.fromEntries(counted.requests))
  })

  test('the page shows the same numbers', async () => {
    const verdicts = (site: string, ...codes: string[]) =>
      codes.reduce((sum, code) => sum + (counted.verdicts.get(`hv_site_${site} ${code}`) ?? 0), 0)
    const codes = await tableOf('codes')
    const wanted = [...counted.requests].filter(([key]) => key.startsWith('siteverify '))
    const shown = Object.entries(codes).map(([code, [n]]) => [code, n])
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(wanted.map(([key, n]) => [key.split(' ')[1]!, whole(n)])),
    )
    const told = (await fleet(one)).sites.flatMap(({ reasons }) => Object.entries(reasons))
    const sums = new Map<string, number>()
    for (const [reason, n] of told) sums.set(reason, (sums.get(reason) ?? 0) + n)
    expect(sums.size).toBeGreaterThan(1)
    const reasons = Object.entries(await tableOf('reasons')).map(([reason, [n]]) => [reason, n])
    expect(Object.fromEntries(reasons)).toEqual(Object.fromEntries([...sums].map(([reason, n]) => [reason, whole(n)])))
    const sites = await tableOf('sites')
    for (const name of ['bookshop', 'openbank', 'newsletter']) {
      const row = sites[`The ${name}`]!
      expect([name, row[1]]).toEqual([name, whole(counted.tokens.get(`hv_site_${name}`)!)])
      expect([name, row[2]]).toEqual([name, whole(verdicts(name, 'accepted'))])
      expect([name, row[3]]).toEqual([name, whole(verdicts(name, 'low-score', 'timeout-or-duplicate'))])
      expect([name, row[4]]).toEqual([name, whole(verdicts(name, 'invalid-input-response'))])
    }
    expect(await text('tile-passed')).toBe(whole(counted.requests.get('siteverify accepted')!))
    expect(await text('tile-limited')).toBe(whole(counted.requests.get('challenge rate-limit-exceeded')!))
    expect((await tableOf('limited'))['203.0.113.0/24']).toEqual([await text('tile-limited')])
    expect(Object.keys(await tableOf('instances'))).toHaveLength(2)
  })

  test('a threshold is tried by typing, with the keyboard, by looking: what it would refuse is exact', async () => {
    for (const name of ['bookshop', 'openbank']) {
      await page.locator('#score-site').selectOption(`hv_site_${name}`)
      const scores = counted.scores.get(name)!
      for (const threshold of ['0.50', scores[0]!.toFixed(2), (scores[0]! + 0.01).toFixed(2), '1.00', '0.00']) {
        await page.locator('#threshold').fill(threshold)
        const refused = scores.filter((score) => score < Number(threshold)).length
        expect(await text('score-says')).toContain(
          `A threshold of ${threshold} refuses ${refused} of ${scores.length} `,
        )
      }
    }
    await page.locator('#threshold').fill('0.40')
    await page.locator('#threshold-slider').focus()
    await page.keyboard.press('ArrowRight')
    expect(await text('score-says')).toContain('A threshold of 0.41 refuses')
    expect(await text('score-says')).toContain('0.97, in force, refuses')
  })

  test('a threshold is tried by pointing at the chart, and by clicking into it', async () => {
    await open()
    // The busiest site first, with its own threshold.
    expect(await page.locator('#score-site').inputValue()).toBe('hv_site_bookshop')
    const scores = counted.scores.get('bookshop')!
    const refusedBy = (threshold: number): number => scores.filter((score) => score < threshold).length
    expect(await text('score-says')).toBe(
      `A threshold of 0.50 refuses ${refusedBy(0.5)} of ${scores.length} (${share(refusedBy(0.5), scores.length)}).`,
    )
    const plot = page.locator('#scores-chart .u-over')
    const { width, height } = (await plot.boundingBox())!
    await plot.hover({ position: { x: width * 0.9, y: height / 2 } })
    expect(await text('score-says')).toContain(`A threshold of 0.90 refuses ${refusedBy(0.9)} of ${scores.length} `)
    await page.mouse.move(0, 0)
    expect(await text('score-says')).toContain('A threshold of 0.50 refuses')
    await plot.click({ position: { x: width * 0.2, y: height / 2 } })
    await page.mouse.move(0, 0)
    expect(await text('score-says')).toContain(`A threshold of 0.20 refuses ${refusedBy(0.2)} of ${scores.length} `)
    expect(await page.locator('#threshold').inputValue()).toBe('0.20')
  })

  test('all of it is reached and used with the keyboard alone', async () => {
    await open()
    const reached: string[] = []
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab')
      const now = await page.evaluate(() => {
        const { id, tagName, textContent } = document.activeElement!
        return tagName === 'SUMMARY' ? textContent! : id || tagName
      })
      if (now === 'BODY') break
      reached.push(now)
      if (now === 'Verdicts as a table') await page.keyboard.press('Enter')
    }
    expect(reached).toEqual(
      expect.arrayContaining(['pause', 'score-site', 'score-action', 'threshold', 'threshold-slider']),
    )
    expect(reached.filter((each) => each.endsWith('as a table'))).toHaveLength(6)
    expect(await page.locator('#verdicts-table').isVisible()).toBe(true)
    const table = await tableOf('verdicts-table')
    const { Minute: heads, ...minutes } = table
    const accepted = Object.values(minutes).reduce(
      (sum, row) => sum + Number(row[heads!.indexOf('accepted')]!.replaceAll(',', '')),
      0,
    )
    expect(accepted).toBe(counted.requests.get('siteverify accepted'))
  })

  test('axe finds no violation; pictures in light, dark and narrow', async () => {
    await open('5')
    await page.locator('#score-site').selectOption('hv_site_bookshop')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeFinds(page)).toEqual([])
      await picture(`full-${colorScheme}`)
    }
    await page.setViewportSize({ width: 390, height: 800 })
    await page.waitForTimeout(300)
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

  test('a window that is none is refused; nothing else is asked of the process', async () => {
    for (const minutes of ['0', '61', '1e9', '-5', '5&minutes=60', ''])
      expect((await fetch(`${one.opsUrl}/fleet?minutes=${minutes}`)).status).toBe(400)
  })
})

describe('the public listener', () => {
  test.each(['/', '/fleet', '/metrics', '/live', '/ready', '/dashboard.js', '/dashboard.css', '/index.html'])(
    'does not have %s, whatever the request calls itself',
    async (path) => {
      const ops = new URL(one.opsUrl).host
      for (const headers of [{}, { 'x-forwarded-host': ops, 'x-forwarded-for': '127.0.0.1', 'x-original-url': path }]) {
        const res = await fetch(`${one.url}${path}`, { headers })
        expect([res.status, await res.text()]).toEqual([404, '{"success":false,"error-codes":["not-found"]}'])
      }
      expect((await fetch(`${one.opsUrl}${path}`)).status).toBe(200)
    },
  )

  test('and the operators’ one has none of the operations', async () => {
    for (const path of ['/api/v1/challenge', '/api/v1/solve', '/api/v1/siteverify', '/assets/captcha.js'])
      expect((await fetch(`${one.opsUrl}${path}`, { method: 'POST' })).status).toBe(404)
  })
})

test('a site whose tokens nobody verifies is named, when their life is over', async () => {
  const issued = counted.tokens.get('hv_site_newsletter')
  await until(async () => {
    const found = (await fleet(one)).sites.find(({ site }) => site === 'hv_site_newsletter')
    return found?.ended === issued
  })
  await open()
  expect(await text('problems')).toContain(`The newsletter: none of ${issued} tokens was verified.`)
  expect((await tableOf('sites'))['The newsletter']![6]).toBe(`${issued} of ${issued}`)
}, 90_000)

describe('when something goes', () => {
  test('a process that is killed stays in the sums, and is said to be gone', async () => {
    await two.kill()
    await until(async () => (await fleet(one)).instances.some(({ state }) => state === 'gone'))
    expect(flat((await fleet(one)).requests)).toMatchObject(Object.fromEntries(counted.requests))
    await open()
    const gone = page.locator('#problems li', { hasText: /has not been heard for .*, and did not say that it stops/ })
    expect(await gone.getAttribute('data-level')).toBe('warn')
  }, 60_000)

  test('without Redis it shows itself alone, and says so; when Redis is back, all that it still knows', async () => {
    const own = flat((await fleet(one)).requests)
    await redis.stop()
    await until(async () => (await fleet(one)).scope === 'process')
    await open()
    expect(await text('scope')).toMatch(/^This process alone/)
    expect(await text('problems')).toMatch(/Redis does not answer: this is one process, not the fleet/)
    expect(await page.locator('#health').getAttribute('data-level')).toBe('bad')
    const alone = flat((await fleet(one)).requests)
    expect(alone['siteverify accepted']).toBeGreaterThan(0)
    expect(alone['siteverify accepted']).toBeLessThan(own['siteverify accepted']!)
    await picture('redis-down-light')

    // An empty Redis: the process tells it everything again.
    await redis.start()
    await until(async () => {
      const { scope, requests } = await fleet(one)
      return scope === 'fleet' && flat(requests)['siteverify accepted'] === alone['siteverify accepted']
    })
  }, 60_000)

  test('a page that loses its process keeps its numbers, and says that they are old', async () => {
    await open()
    await one.kill()
    await page.waitForFunction(() => document.querySelector('#health-says')!.textContent!.includes('cannot reach'))
    expect(await text('tile-passed')).not.toBe('–')
  }, 30_000)
})
