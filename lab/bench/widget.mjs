/**
 * What does a visitor wait for, and load? Our widget beside those of ALTCHA and Cap, in turns, in one run, each visit with an
 * empty cache.
 *
 *     npm run bench -- widget [--quick] [--slow]
 *
 * `--slow`: the whole browser runs at a quarter of its speed, as on a cheap phone.
 */
import { createServer, get } from 'node:http'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'
import { CHROMIUM, DRIVEN } from '../evaluate/bots/chromium.mjs'
import { listen, start } from '../stand/processes.mjs'
import { median } from '../stand/tables.mjs'
import { QUICK, SLOW, writeResult } from './harness/result.mjs'
import { contenders } from './widget/contenders.mjs'

const ROUNDS = QUICK ? 2 : 9
const SLOW_DOWN = join(import.meta.dirname, 'widget/slow-down.mjs')
const TRACE = ['disabled-by-default-devtools.timeline', 'devtools.timeline', '__metadata']

/**
 * The customer's origin: compressed as well as ours (brotli at its highest quality, gzip at level 9), so that no server's
 * settings are compared.
 */
async function origin(contender) {
  let arrived
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    if (req.url === '/sent') arrived({ at: performance.now(), fields: new URLSearchParams(body) })
    const answer =
      req.url === '/' || req.url === '/sent'
        ? {
            type: 'text/html; charset=utf-8',
            body: req.url === '/' ? contender.page : '<link rel="icon" href="data:,">',
          }
        : await contender.serve(req.method, req.url, body)
    if (!answer) return res.writeHead(404).end()
    const isBrotli = /\bbr\b/.test(req.headers['accept-encoding'])
    res.writeHead(200, {
      'content-type': answer.type,
      'content-encoding': isBrotli ? 'br' : 'gzip',
    })
    res.end(isBrotli ? brotliCompressSync(answer.body) : gzipSync(answer.body, { level: 9 }))
  })
  return {
    url: `http://127.0.0.1:${await listen(server)}/`,
    /** The next form that arrives, and when. */
    form: () =>
      new Promise((resolve) => {
        arrived = resolve
      }),
    close: () => server.close(),
  }
}

/** One visit with an empty cache: the field is touched, then pressed what has to be pressed. */
async function visit(browser, contender, { url, form }) {
  const context = await browser.newContext()
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const isPart = (address) => address !== url && address !== `${url}sent`
  let bytes = 0
  const requests = []
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && isPart(request.url())) requests.push(request)
  })
  const sizes = new Map()
  session.on('Network.responseReceived', ({ requestId, response }) =>
    sizes.set(requestId, response.url),
  )
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const from = sizes.get(requestId)
    if (from?.startsWith('http') && isPart(from)) bytes += encodedDataLength
  })
  await page.goto(url)
  await page.waitForFunction(contender.loaded)
  await page.waitForTimeout(300)
  await browser.startTracing(page, { categories: TRACE })
  // The clock runs in the page, so that our own way to it does not count.
  const ready = page.evaluate(`new Promise((resolve) => {
    let touched
    addEventListener('pointerdown', () => (touched ??= performance.now()), true)
    const timer = setInterval(() => {
      if (touched === undefined || !(${contender.ready})) return
      clearInterval(timer)
      resolve(performance.now() - touched)
    }, 2)
  })`)
  await page.locator('[name=email]').click()
  if (contender.press) await press(page, contender.press)
  const readyMs = await ready
  const trace = JSON.parse((await browser.stopTracing()).toString())
  const sent = form()
  const pressed = performance.now()
  await press(page, 'form > button')
  const { at, fields } = await sent
  const isAccepted = await contender.accepts(fields.get(contender.field))
  if (!isAccepted) throw new Error(`${contender.name}: its own server does not accept the token`)
  await page.waitForTimeout(100)
  await context.close()
  const gets = requests
    .filter((request) => request.method() === 'GET')
    .map((request) => request.url())
  return {
    bytes,
    requests: requests.length,
    gets,
    readyMs,
    sendMs: at - pressed,
    longMs: longest(trace),
  }
}

/** Bytes of a file's body as its server sends it to a browser that takes only gzip; 0 for an answer that is data, not a file. */
function gzipBytes(url) {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (res) => {
      let bytes = 0
      res.on('data', (chunk) => {
        bytes += chunk.length
      })
      res.on('end', () =>
        resolve(res.headers['content-type'].startsWith('application/json') ? 0 : bytes),
      )
    }).on('error', reject)
  })
}

/** The files of one visit together. */
async function filesOf([{ gets }]) {
  const all = await Promise.all([...new Set(gets)].map(gzipBytes))
  return all.reduce((sum, bytes) => sum + bytes, 0)
}

/** A hand's press on the middle of an element, whatever lies over it. */
async function press(page, selector) {
  const { x, y, width, height } = await page.locator(selector).boundingBox()
  await page.mouse.click(x + width / 2, y + height / 2)
}

/** The longest task of a page's main thread, milliseconds. */
function longest({ traceEvents }) {
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'RunTask' && mains.has(`${pid} ${tid}`),
  )
  if (tasks.length === 0) throw new Error('the trace has no tasks')
  return tasks.reduce((most, { dur = 0 }) => Math.max(most, dur), 0) / 1000
}

const range = (values) => `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`

const all = await contenders()
const program = await chromium.launchServer({ executablePath: CHROMIUM, args: DRIVEN })
const browser = await chromium.connect(program.wsEndpoint())
const { pid = 0 } = program.process()
const slowDown = SLOW ? start(process.execPath, [SLOW_DOWN, String(pid)]) : undefined
const origins = new Map()
for (const one of all) origins.set(one, await origin(one))
const runs = new Map(all.map((one) => [one, []]))
const gzips = new Map()
try {
  // One visit each that does not count: the machine is warm for all of them.
  for (const one of all) await visit(browser, one, origins.get(one))
  for (let round = 0; round < ROUNDS; round++)
    for (const one of all) runs.get(one).push(await visit(browser, one, origins.get(one)))
  for (const one of all) gzips.set(one, await filesOf(runs.get(one)))
} finally {
  for (const { close } of origins.values()) close()
  for (const one of all) await one.stop()
}

const rows = all.map((one) => {
  const of = (name) => runs.get(one).map((run) => run[name])
  return (
    `| ${one.name} ${one.version} | ${median(of('bytes')).toLocaleString('en')} | ${gzips.get(one).toLocaleString('en')} | ${median(of('requests'))} ` +
    `| ${median(of('readyMs')).toFixed(0)} (${range(of('readyMs'))}) | ${median(of('sendMs')).toFixed(0)} (${range(of('sendMs'))}) ` +
    `| ${median(of('longMs')).toFixed(1)} (${range(of('longMs'))}) | ${one.press ? 'one' : 'none'} |`
  )
})
const text = `${ROUNDS} visits each; medians (and the range). Headless Chromium ${browser.version()}${SLOW ? ', all of its processes stopped for three of every four milliseconds' : ''}.

| Widget | Bytes | Files, gzip | Requests | First touch to ready, ms | Press on the button to form received, ms | Longest main-thread task, ms | Presses of the visitor |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

- Bytes and requests: everything but the page itself, up to a token that its own server accepts, as the browser received it, headers
  included; all of it compressed with brotli at its highest quality. Files, gzip: scripts and WebAssembly of one visit, bodies alone, gzip at level 9.
- First touch: the press on the first field of the form. Where the widget wants a press of its own, it follows at once, so the
  time a visitor needs to find it is not counted, nor is typing; ready: the form can be sent.
- Ours does the work at the first touch and fetches the token when the form is submitted, which is in the sixth column.
- Longest task: of the renderer's main thread, from Chromium's trace, between first touch and ready; loading is not in it.
- Each with its own defaults, Cap with its WebAssembly from the customer's origin instead of a third party. ALTCHA takes at least 500 ms by its
  default \`minDuration\`. These are different amounts of work: this says what a visitor meets, not which hash is faster.`
if (slowDown) {
  await slowDown.stop()
  process.kill(-pid, 'SIGCONT')
}
await program.close()
writeResult('widget', {
  title: 'Widgets, side by side',
  text,
  figures: { beforeSubmit: gzips.get(all[0]) },
})
