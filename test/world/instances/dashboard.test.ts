/** The dashboard in a real Chromium: its numbers are those that we counted. Pictures: build/screenshots/dashboard-*.png. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { appearing, cutOff, mediaOf, pressedByLetters, turned, walk } from '../../support/access.ts'
import { axeFinds } from '../../support/axe.ts'
import { launch } from '../../support/chromium.ts'
import { CONFIG, siteWith, startService } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { BROWSER, PERSON, postPatiently, someone, token } from '../../support/visitor.ts'

const EACH = 24

const secretOf = (name: string): string => `hv_secret_${`${name}Secret0`.repeat(8).slice(0, 43)}`
const site = (name: string, more: object = {}) =>
  siteWith(secretOf(name), { sitekey: `hv_site_${name}`, name: `The ${name}`, ...more })
/** A shop whose visitors pass, a bank with a threshold that none reaches, a newsletter that never verifies. */
const config = {
  ...CONFIG,
  trusted_proxies: ['127.0.0.1/32'],
  limits: { ...CONFIG.limits, challenge: '1 per 1h' },
  sites: [
    site('bookshop'),
    site('openbank', { score_threshold: 0.97 }),
    site('newsletter', { token_lifetime: '30s' }),
  ],
}
/** People, people who show less of themselves, and scripts: scores of all kinds. */
const KINDS = [
  {},
  { page: undefined },
  { input: undefined },
  { automation: { ...PERSON.automation, webdriver: 1 } },
]

const redis = await startRedis()
const service = await startService({ config, env: { HV_REDIS_URL: redis.url } })
const page = await (await launch()).newPage({ viewport: { width: 1280, height: 1000 } })
const asked: string[] = []
const said: string[] = []
/** What was answered: by operation and code; and verdicts by site and code. */
const counted: Record<string, number> = {}
function count(key: string): void {
  counted[key] = (counted[key] ?? 0) + 1
}

/** Asks until there is time to judge, and counts the answer. @returns its code. */
async function ask(
  operation: string,
  good: string,
  fields: Record<string, string>,
): Promise<string> {
  const headers = { ...BROWSER, origin: service.ask.origin, 'x-forwarded-for': '203.0.113.77' }
  const { body } = await postPatiently(`${service.url}/api/v1/${operation}`, fields, headers)
  const code = (body['error-codes'] as string[] | undefined)?.[0] ?? good
  count(`${operation} ${code}`)
  return code
}
async function mixedLoad(): Promise<void> {
  for (const name of ['bookshop', 'openbank', 'newsletter']) {
    const tokens: string[] = []
    for (let i = 0; i < EACH; i++) {
      // All from different addresses: crowds behind one address are not tested here.
      const headers = { ...BROWSER, 'x-forwarded-for': `81.${i}.${name.length}.9` }
      const signals = { ...someone(), ...KINDS[i % KINDS.length] }
      tokens.push(
        await token({
          ...service.ask,
          sitekey: `hv_site_${name}`,
          headers,
          signals,
          patient: true,
        }),
      )
      count('challenge issued')
      count('solve solved')
    }
    if (name === 'newsletter') continue
    const secret = secretOf(name)
    // Twice; with an unknown secret; and a text that is not a token.
    for (const response of [...tokens, ...tokens, 'x.y.z'])
      count(`${name} ${await ask('siteverify', 'accepted', { secret, response })}`)
    for (const response of tokens)
      await ask('siteverify', 'accepted', { secret: secretOf('nobody'), response })
  }
  // One address that floods: 25 times its budget of challenges is answered.
  const fields = { sitekey: 'hv_site_bookshop', action: 'sign-up' }
  for (let i = 0; i < 64; i++) await ask('challenge', 'issued', fields)
}
/** Without what was asked again: a machine that is busy for a moment answers 503. */
const judged = (all: Record<string, number>) =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !key.endsWith('-unavailable')))

page.on('request', (request) => asked.push(request.url()))
page.on('console', (message) => {
  if (['error', 'warning'].includes(message.type())) said.push(message.text())
})
page.on('pageerror', (error) => said.push(error.message))

const text = (id: string): Promise<string> => page.locator(`#${id}`).innerText()
const tableOf = async (id: string): Promise<Record<string, string[]>> => {
  const cells = await page
    .locator(`#${id} tbody tr`)
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.firstChild?.textContent ?? '')),
    )
  return Object.fromEntries(cells.map(([first, ...rest]) => [first!, rest]))
}
async function open(): Promise<void> {
  await page.goto(`${service.opsUrl}/`)
  await page.locator('body[data-state=shown]').waitFor()
}
const picture = (name: string) =>
  page.screenshot({ path: `build/screenshots/dashboard-${name}.png`, fullPage: true })

test('without traffic the page shows a note', async () => {
  await open()
  expect(await text('health-says')).toMatch(/^Healthy: the ledger works/)
  expect(await text('scores-says')).toMatch(/^No score/)
  expect(await axeFinds(page)).toEqual([])
  await picture('empty-light')
})

describe('after requests of all kinds', () => {
  beforeAll(async () => {
    await mixedLoad()
    await open()
  }, 120_000)
  const answers = (to: RegExp) =>
    Object.fromEntries(Object.entries(counted).filter(([key]) => to.test(key)))

  test('/metrics counts every request', async () => {
    const res = await fetch(`${service.opsUrl}/metrics`)
    expect(res.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const series = (await res.text()).matchAll(
      /^hv_requests_total\{operation="(.*)",code="(.*)"\} (\d+)$/gm,
    )
    const metrics = [...series].map(([, operation, code, value]) => [
      `${operation} ${code}`,
      Number(value),
    ])
    expect(judged(Object.fromEntries(metrics) as Record<string, number>)).toEqual(
      answers(/^(challenge|solve|siteverify) /),
    )
  })

  test('the page shows the same numbers', async () => {
    const codes = Object.entries(await tableOf('codes')).map(([code, [n]]) => [
      `siteverify ${code}`,
      Number(n),
    ])
    expect(judged(Object.fromEntries(codes) as Record<string, number>)).toEqual(
      answers(/^siteverify /),
    )
    expect(Object.keys(await tableOf('reasons')).length).toBeGreaterThan(1)
    const sites = await tableOf('sites')
    for (const name of ['bookshop', 'openbank', 'newsletter']) {
      const accepted = counted[`${name} accepted`] ?? 0
      const rejected =
        (counted[`${name} low-score`] ?? 0) + (counted[`${name} timeout-or-duplicate`] ?? 0)
      expect([name, sites[`The ${name}`]!.slice(1, 4)]).toEqual([
        name,
        [EACH, accepted, rejected].map(String),
      ])
    }
    expect(await text('tile-accepted')).toBe(String(counted['siteverify accepted']))
    expect(await text('tile-limited')).toBe(String(counted['challenge rate-limit-exceeded']))
    expect((await tableOf('networks'))['203.0.113.0/24']).toEqual([await text('tile-limited')])
  })

  test('shows the scores of a site and its threshold, and a site whose tokens are not verified', async () => {
    await page.locator('#score-site').selectOption('hv_site_openbank')
    expect(await text('scores-says')).toContain('the line is the threshold in force, 0.97')
    const columns = Object.values(await tableOf('scores-table'))
    expect(columns.reduce((total, [, low]) => total + Number(low), 0)).toBe(EACH)
    expect(await text('problems')).toContain(`The newsletter: none of ${EACH} tokens was verified`)
  })

  test('has no accessibility violation (axe), light, dark and narrow', async () => {
    await open()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeFinds(page)).toEqual([])
      await picture(`full-${colorScheme}`)
    }
    await page.setViewportSize({ width: 360, height: 800 })
    await page
      .locator('details')
      .evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')))
    await picture('narrow-dark')
    const cut = await page.locator('section :is(th, td)').evaluateAll((cells) =>
      cells
        .filter((cell) => {
          const end = cell.closest('section')!.getBoundingClientRect().right - 10
          return (
            cell.scrollWidth > cell.clientWidth ||
            cell.getBoundingClientRect().right > Math.min(end, 340)
          )
        })
        .map((cell) => cell.outerHTML),
    )
    expect([cut, await axeFinds(page)]).toEqual([[], []])
    await page.setViewportSize({ width: 1280, height: 1000 })
    await page.emulateMedia({ colorScheme: 'light' })
  })

  describe('for every visitor', () => {
    beforeEach(open)
    afterEach(() => page.setViewportSize({ width: 1280, height: 1000 }))

    test('targets measure 24 pixels or have room around them', async () => {
      expect(await axeFinds(page, { runOnly: { type: 'rule', values: ['target-size'] } })).toEqual(
        [],
      )
    })

    test('Tab stops where it is seen, and leaves the page', async () => {
      const { stops, faults } = await walk(page)
      expect(stops.length).toBeGreaterThan(2)
      expect(faults).toEqual([])
    })

    test('nothing is cut off at 200 and 400 %, or with spaced text', async () => {
      expect(await cutOff(page)).toEqual([])
    })

    test('the page says the same upright and lengthwise, and has no picture, sound or video', async () => {
      const [upright, wide] = await turned(page, 'h1, h2')
      expect([upright, await mediaOf(page)]).toEqual([wide, []])
    })

    test('letters alone press nothing, and no text appears where the pointer rests', async () => {
      expect(await pressedByLetters(page)).toEqual([])
      expect(await appearing(page, 'main')).toEqual([])
    })
  })

  test('sends requests to its own listener only, and violates no policy', () => {
    expect(new Set(asked.map((url) => new URL(url).origin)).size).toBe(1)
    expect(said).toEqual([])
  })
})

test('the public listener and the ops listener have no path in common', async () => {
  const forged = {
    'x-forwarded-host': new URL(service.opsUrl).host,
    'x-forwarded-for': '127.0.0.1',
  }
  for (const path of [
    '/',
    '/last-hour',
    '/metrics',
    '/live',
    '/ready',
    '/dashboard.js',
    '/dashboard.css',
  ]) {
    for (const headers of [{}, { ...forged, 'x-original-url': path }])
      expect([path, (await fetch(`${service.url}${path}`, { headers })).status]).toEqual([
        path,
        404,
      ])
    expect([path, (await fetch(`${service.opsUrl}${path}`)).status]).toEqual([path, 200])
  }
  for (const path of [
    '/api/v1/challenge',
    '/api/v1/solve',
    '/api/v1/siteverify',
    '/assets/captcha.js',
  ])
    expect((await fetch(`${service.opsUrl}${path}`, { method: 'POST' })).status).toBe(404)
})

describe('when something fails', () => {
  test('the page reports the loss of Redis', async () => {
    await redis.stop()
    await page.waitForFunction(() =>
      document
        .querySelector('#problems')!
        .textContent!.includes('This process cannot use the ledger'),
    )
    expect(await page.locator('#health').getAttribute('data-level')).toBe('bad')
    await picture('redis-down-light')
  })

  test('a page that cannot reach its process keeps its numbers and marks them as old', async () => {
    await service.kill()
    await page.waitForFunction(() =>
      document.querySelector('#health-says')!.textContent!.includes('cannot reach'),
    )
    expect(await text('tile-accepted')).not.toBe('–')
  }, 30_000)
})
