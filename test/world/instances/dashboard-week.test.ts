/**
 * Yesterday on the dashboard: a real process, a real Redis that has the hours of processes that are long gone, a real
 * Chromium. Pictures are in build/screenshots/dashboard-week-*.png.
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { axeFinds } from '../../support/axe.ts'
import type { FleetAnswer } from '../../../src/ops/fleet/fleet-answer.ts'
import { redisFleetStore } from '../../../src/ops/fleet/fleet-store.ts'
import { pack, type Packet } from '../../../src/ops/fleet/packet.ts'
import { redisLink } from '../../../src/redis/link.ts'
import { launch } from '../../browser/stage.ts'
import { eventually, keepLog } from '../../support/ledger-contract.ts'
import { keyringFile, type ServiceProcess, startService } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { MIXED } from './mixed-load.ts'

const PICTURES = fileURLToPath(new URL('../../../build/screenshots', import.meta.url))

/** Hours ago of which two processes left their counts. At the edges of both windows there is none: the hour may turn. */
const HOURS = [
  ...Array.from({ length: 120 }, (_, i) => 24 * 7 - 2 - i),
  ...Array.from({ length: 20 }, (_, i) => 22 - i),
]
const [NIGHT, DAY] = [2, 60]

let redis: TestRedis
let service: ServiceProcess
let browser: Browser
let page: Page
/** How many verdicts the hours have, by how many hours ago. */
const accepted = new Map<number, number>()

function packetOf(id: string, minute: number): Packet {
  const hour = new Date(minute * 60_000).getHours()
  const busy = hour > 6 && hour < 23 ? DAY - 3 * Math.abs(hour - 15) : NIGHT
  const step = {
    'requests challenge issued': busy + 3,
    'requests siteverify accepted': busy,
    'requests siteverify low-score': 1 + (hour % 4),
    'request_seconds siteverify 3': busy,
    'request_seconds siteverify sum': busy * 0.007,
    'work_level 0': busy,
    'solve_seconds 2': busy,
  }
  return {
    v: 1,
    minute,
    instance: {
      id,
      name: `before/${id}`,
      version: '0.1.0',
      startedAt: 1,
      at: minute * 60 + 3599,
      configuration: { since: 1 },
      keyring: { since: 1 },
    },
    steps: Array.from({ length: 6 }, () => step),
    sites: { 'challenges hv_site_bookshop': 6 * busy, 'verdicts hv_site_bookshop accepted': 6 * busy },
    limited: {},
  }
}

const fleet = async (minutes: number): Promise<FleetAnswer> =>
  (await (await fetch(`${service.opsUrl}/fleet?minutes=${minutes}`)).json()) as FleetAnswer
const expected = (hours: number): number =>
  [...accepted].filter(([ago]) => ago < hours).reduce((sum, [, n]) => sum + n, 0)

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true })
  redis = await startRedis()
  const place = { url: redis.url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }
  const link = redisLink(place, { log: keepLog() })
  const store = redisFleetStore(link)
  const running = Math.floor(Date.now() / 3_600_000) * 60
  await eventually(() => store.hours([running]))
  for (const ago of HOURS) {
    const minute = running - ago * 60
    for (const id of ['p', 'q']) {
      const packet = packetOf(id, minute)
      await store.publishHour(id, minute, await pack(packet))
      const own = packet.sites['verdicts hv_site_bookshop accepted']!
      accepted.set(ago, (accepted.get(ago) ?? 0) + own)
    }
  }
  await link.close()
  service = await startService({ config: MIXED, keyring: keyringFile(), env: { HV_REDIS_URL: redis.url } })
  browser = await launch()
  page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
}, 60_000)
afterAll(async () => {
  await browser.close()
  await service.stop()
  await redis.remove()
}, 30_000)

test('what processes of before counted is added up for the day and the week', async () => {
  for (const [minutes, hours] of [
    [1440, 24],
    [10_080, 168],
  ] as const) {
    const { scope, sites, steps } = await fleet(minutes)
    const told = sites.find(({ site }) => site === 'hv_site_bookshop')?.verdicts['accepted']
    expect([scope, told, steps.every]).toEqual(['fleet', expected(hours), 600])
  }
})

test('its keys expire after a week, and each hour has a list of its own', async () => {
  const keys = (await redis.cli('KEYS', '{hv}:f:h:*')) as string[]
  expect(keys.filter((key) => /:h:\d+$/.test(key)).length).toBeGreaterThanOrEqual(HOURS.length)
  for (const key of keys.slice(0, 20)) {
    const left = Number(await redis.cli('TTL', key))
    expect(left).toBeGreaterThan(168 * 3600)
    expect(left).toBeLessThanOrEqual(169 * 3600)
  }
})

test('the day and the week are chosen with the keyboard; axe finds nothing; it fits a telephone', async () => {
  await page.goto(`${service.opsUrl}/`)
  await page.locator('body[data-state=shown]').waitFor()
  // The hour has nothing, and says so.
  expect(await page.locator('#verdicts-empty').isVisible()).toBe(true)
  expect(await page.locator('#reach').innerText()).toMatch(/^The counts begin at .*, not a whole hour ago: /)
  await page.locator('input[value="60"]').focus()
  await page.keyboard.press('ArrowRight')
  const passed = (n: number) =>
    page.waitForFunction(
      (wanted) => document.querySelector('#tile-passed')!.textContent === wanted,
      n.toLocaleString('en'),
    )
  await passed(expected(24))
  expect(await page.locator('input[value="1440"]').isChecked()).toBe(true)
  expect(await page.locator('#verdicts-says').innerText()).toBe('Each bar has the answers of 10 minutes.')
  await page.keyboard.press('ArrowRight')
  await passed(expected(168))
  expect(await page.locator('#verdicts-says').innerText()).toBe('Each bar has the answers of one hour.')
  expect(await page.locator('#limited-empty').innerText()).toContain('Networks are kept for an hour only')
  await page.locator('summary', { hasText: 'Verdicts as a table' }).press('Enter')
  expect(await page.locator('#verdicts-table tbody tr').count()).toBeGreaterThan(165)
  await page.locator('summary', { hasText: 'Verdicts as a table' }).press('Enter')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await axeFinds(page)).toEqual([])
    await page.screenshot({ path: `${PICTURES}/dashboard-week-${colorScheme}.png`, fullPage: true })
  }
  await page.setViewportSize({ width: 320, height: 800 })
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth)
  await page.screenshot({ path: `${PICTURES}/dashboard-week-narrow.png`, fullPage: true })
}, 60_000)
