/** The evaluation's people and programs at a peer, and plain HTTP that only reads the protocol. */
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { people } from '../evaluate/person/people.mjs'
import { displays, PROGRAMS } from '../evaluate/screen/display.mjs'
import { addressFor, played } from '../evaluate/stage.mjs'
import { startEdge } from '../stand/edge.mjs'
import { startSite } from '../stand/customer.mjs'
import { newsletterPage, signUpPage } from '../stand/page.mjs'
import { ensurePrograms } from '../../test/support/programs.mjs'
import { fieldsBy, setUpOf, startPeer } from './start.mjs'

/** Who comes unless `--all` is asked for: the kinds of people and of programs, a few of each. */
export const DEFAULT = [
  'mouse',
  'keyboard only',
  'touch',
  'privacy settings',
  'password manager',
  'Firefox, privacy settings',
  'Playwright, headless',
  'Selenium',
  'Puppeteer with stealth, headless',
  'patchright, headed',
  'nodriver',
  'DevTools protocol, human-like',
  'agent: Playwright MCP',
  'agent: computer use',
  'robotic X input, gliding',
  'human-like X input',
]
export const QUICK = ['mouse', 'Playwright, headless']

/**
 * Visitors that cannot be sent to a peer: other pages than the form, several forms at once, a second try, what only our protocol has, a
 * simulated page without workers.
 */
const OURS_ALONE =
  /^untouched|^one (?:key|tap)|plain HTTP|dom$|token farm|neighbour|beside a farm|rotating egress|signs in|developer tools/

/** The kind under which a program is counted. */
export function kindOf({ kind, name, isAgent }) {
  if (kind === 'person') return 'people'
  if (isAgent) return 'agents'
  if (/^(?:Playwright|Puppeteer|Selenium|WebKit by)(?!.*(?:flag|stealth|posing|script))/.test(name))
    return 'stock drivers'
  if (/X input|DOM simulator/.test(name)) return 'robots without a driver'
  return 'drivers that hide'
}

export async function chosen({ all, quick }) {
  const at = join(import.meta.dirname, '../evaluate/visitors')
  const lists = await Promise.all(
    readdirSync(at).map(async (file) => (await import(join(at, file))).default),
  )
  const names = quick ? QUICK : DEFAULT
  const asked = lists
    .flat()
    .filter(({ name }) => (all ? !OURS_ALONE.test(name) : names.includes(name)))
  const needs = asked.flatMap(({ screen, needs: own = [] }) => [
    ...own,
    ...(PROGRAMS[screen] ?? []),
  ])
  ensurePrograms(['redis', 'chromium', ...needs])
  return asked
}

/** Passes on to the peer what its page asks of the customer's origin. */
const passOn =
  ({ url }, address) =>
  (req, res, body) =>
    new Promise((resolve, reject) => {
      const headers = { ...req.headers, 'x-forwarded-for': address }
      const onward = request(new URL(req.url, url), { method: req.method, headers }, (answer) => {
        res.writeHead(answer.statusCode, answer.rawHeaders)
        answer.pipe(res).once('finish', resolve).once('error', reject)
      })
      onward.once('error', reject).end(body)
    })

/** Tells the page's own measurement which element is pressed: it is not always where its host is. */
const whereToPress = ({ box }) =>
  box
    ? `<script>captchaBox = { id: ${JSON.stringify(box.id)}, element: () => ${box.target} }</script>`
    : ''

/** The customer's site with the peer's widget: its lines in the head and in the form, and its word on each form. */
export async function siteOf(peer, server, { address = '198.51.100.7' } = {}) {
  // Its script, its calls and its page are one origin where its guide has them so; ours is apart.
  const edge = peer.box ? undefined : await startEdge(server.url, address)
  const part = (text) => (typeof text === 'function' ? text(edge?.url) : text)
  const site = await startSite({
    pages: {
      '/': signUpPage({
        head: `${part(peer.head)}${whereToPress(peer)}`,
        box: part(peer.widget),
        field: peer.field,
      }),
      '/newsletter': newsletterPage(),
    },
    box: peer.box && { ...peer.box, field: peer.field },
    elsewhere: edge ? undefined : passOn(server, address),
    async judge(fields) {
      const accepted = await server.accepts(Object.fromEntries(fields))
      return { response: fields.get(peer.field) ?? '', verdict: { success: accepted } }
    },
  })
  const close = async () => {
    await site.close()
    await edge?.close()
  }
  return { site, edge: edge ?? { address, tickets: () => [] }, close }
}

/** One visit of a visitor. */
async function visitAt(peer, server, visitor, { number, ...around }) {
  const address = addressFor(visitor.address, number)
  const { site, edge, close } = await siteOf(peer, server, { address })
  const visit = await played(visitor, { ...around, run: 0, edge, customer: site })
  const passed = site.forms.some(({ verdict }) => verdict.success)
  await visit.end()
  await close()
  return { passed, forms: site.forms.length, seconds: visit.seconds, problem: visit.problem }
}

/** All visitors at one peer, with its defaults. `lanes`: displays at once. */
export async function visitsAt(peer, visitors, { lanes, say }) {
  const server = await startPeer(peer, setUpOf(peer.stores[0]))
  const { person } = people()
  const waiting = [...visitors.entries()]
  const rows = []
  const lane = async () => {
    const own = displays()
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [number, visitor] = next
        const display = visitor.screen && (await own.of(visitor.screen))
        const row = await visitAt(peer, server, visitor, { number, display, person })
        rows.push({ name: visitor.name, kind: kindOf(visitor), ...row })
        const how = row.passed ? 'passed' : `not passed; ${row.problem ?? `${row.forms} forms`}`
        say(`${peer.name}, ${visitor.name}: ${how} (${Math.round(row.seconds)} s)`)
      }
    } finally {
      await own.stop()
    }
  }
  try {
    await Promise.all(Array.from({ length: lanes }, lane))
    const fields = await fieldsBy(peer, server).catch(() => ({}))
    const plain = { name: 'plain HTTP, reads the protocol', kind: 'plain HTTP' }
    rows.push({ ...plain, forms: 1, passed: await server.letsIn(fields) })
    return rows
  } finally {
    await server.stop()
  }
}
