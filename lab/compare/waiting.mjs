/** What a visitor waits for, loads and computes: a driven Chromium with an empty cache, at full speed or at a quarter of it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { CHROMIUM, DRIVEN } from '../evaluate/bots/chromium.mjs'
import { start } from '../stand/processes.mjs'
import { setUpOf, startPeer } from './start.mjs'
import { siteOf } from './visitors.mjs'

const SLOW_DOWN = join(import.meta.dirname, '../bench/widget/slow-down.mjs')
/** Clock ticks of the kernel in a second, as Linux reports processor time. */
const TICKS = 100
/** Milliseconds for a visit: ALTCHA's default work takes half a minute at a quarter of the speed. */
const VISIT_MS = 240_000
/** Milliseconds that a visit's context may take to close, after everything was measured. */
const CLOSE_MS = 5000
/** What the page itself is made of, whatever protects it. */
const OF_THE_PAGE = new Set(['/', '/layout', '/layout.js', '/style.css', '/sign-up'])

/** A page without a captcha: what it takes is subtracted. */
export const NOTHING = {
  name: 'no captcha',
  stores: ['memory'],
  head: '',
  widget: '',
  field: 'none',
  start: async () => ({ url: 'http://127.0.0.1:9', accepts: async () => true, stop() {} }),
}

/** Seconds of processor of all processes of a group, those that ended included. */
function groupCpu(group) {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
      if (Number(fields[2]) !== group) continue
      ticks += [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0)
    } catch {
      // The process has ended meanwhile.
    }
  }
  return ticks / TICKS
}

/** Counts what the captcha's own requests load and send, headers of answers included. */
async function countBytes(context, page, url) {
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const own = new Set()
  let bytes = 0
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const { origin, pathname, protocol } = new URL(response.url)
    const isPage = origin === new URL(url).origin && OF_THE_PAGE.has(pathname)
    if (protocol.startsWith('http') && !isPage) own.add(requestId)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (own.has(requestId)) bytes += encodedDataLength
  })
  return () => bytes
}

/** A hand's press on the middle of an element. */
async function press(page, element) {
  const { x, y, width, height } = await element.boundingBox()
  await page.mouse.click(x + width / 2, y + height / 2)
}

/**
 * One visit: the first field is touched, the person fills in for `fillMs`, presses the box where there is one, and sends. The wait is
 * what passes from the first press that wants a token to the form that has arrived.
 */
async function visit({ browser, pid }, peer, { site }, fillMs) {
  const context = await browser.newContext()
  const page = await context.newPage()
  const bytes = await countBytes(context, page, site.url)
  const cpu = groupCpu(pid)
  await page.goto(site.url)
  await page.waitForLoadState('load')
  await pause(300)
  await page.locator('#name').click()
  for (const id of ['name', 'email']) await page.locator(`#${id}`).fill(`${id}@example.com`)
  await page.locator('#terms').check()
  await pause(fillMs)
  const form = site.form(180_000)
  form.catch(() => {})
  const pressed = performance.now()
  if (peer.box) {
    await press(page, await page.evaluateHandle(peer.box.target))
    const hasToken = `document.querySelector('form [name=${peer.field}]')?.value`
    await page.waitForFunction(hasToken, undefined, { timeout: 170_000, polling: 50 })
  }
  await page.locator('#send').click({ noWaitAfter: true })
  const { verdict } = await form
  const waitMs = performance.now() - pressed
  if (!verdict.success) throw new Error(`${peer.name}: the form was not accepted`)
  await pause(100)
  const took = { waitMs, bytes: bytes(), cpu: groupCpu(pid) - cpu }
  // A browser that is stopped most of the time may never say that it has closed it.
  await Promise.race([context.close(), pause(CLOSE_MS)])
  return took
}

/** A browser whose whole process group can be slowed down. */
async function startBrowser() {
  const program = await chromium.launchServer({ executablePath: CHROMIUM, args: DRIVEN })
  const { pid = 0 } = program.process()
  let slowDown
  return {
    pid,
    browser: await chromium.connect(program.wsEndpoint()),
    slow() {
      slowDown ??= start(process.execPath, [SLOW_DOWN, String(pid)])
    },
    async stop() {
      await slowDown?.stop()
      // A stopped process answers no polite request.
      await program.kill()
    },
  }
}

/** Ends what is not over in time, though the browser may say nothing any more. */
async function inTime(promise, what) {
  const end = new AbortController()
  const tooLate = pause(VISIT_MS, undefined, { signal: end.signal }).then(() => {
    throw new Error(`${what}: a visit was not over in ${VISIT_MS / 1000} s`)
  })
  tooLate.catch(() => {})
  try {
    return await Promise.race([promise, tooLate])
  } finally {
    end.abort()
  }
}

/**
 * Visits of one peer, each from an address of its own. `isSlow`: the whole browser at a quarter of its speed; `bare`: seconds of processor of
 * a visit to a page without a captcha.
 */
export async function waits(peer, { visits, fillMs, isSlow = false, bare = 0 }) {
  const server = await startPeer(peer, setUpOf(peer.stores[0], { isDriven: true }))
  const driven = await startBrowser()
  const all = []
  try {
    for (let i = 0; i <= visits; i++) {
      const site = await siteOf(peer, server, { address: `203.0.${i}.7` })
      const took = await inTime(visit(driven, peer, site, fillMs), peer.name).finally(site.close)
      // The first one does not count: it warms all up.
      if (i > 0) all.push({ ...took, more: Math.max(0, took.cpu - bare) })
      if (isSlow) driven.slow()
    }
    return all
  } finally {
    await driven.stop()
    await server.stop()
  }
}
