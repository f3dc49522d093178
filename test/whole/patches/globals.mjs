/** Compares what a program shares with its libraries before and after this package was loaded and has answered a visit. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)
const ROOT = join(import.meta.dirname, '../../..')
const SHARED = [
  'node:http',
  'node:net',
  'node:crypto',
  'node:stream',
  'node:events',
  'node:timers',
  'node:fs',
]
const { dependencies } = require(join(ROOT, 'package.json'))

/** Objects of which each program has one. */
const shared = new Map([['globalThis', globalThis]])
for (const name of [
  ...SHARED,
  ...Object.keys(dependencies).filter((each) => !each.startsWith('@human')),
])
  shared.set(name, await import(name))

const isObject = (value) =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'
/** State that lives, rather than code: it changes while a program runs. */
const isState = (path) =>
  /^globalThis\.(process|performance|global|globalThis)\b|\._?events?\b|\.(env|argv)\b/.test(path)

/** The properties of functions, prototypes and namespaces, four steps deep: those of instances are state. */
function snapshot() {
  const seen = new Map()
  const look = (path, value, depth) => {
    if (!isObject(value) || seen.has(value) || isState(path)) return
    const descriptors = Object.getOwnPropertyDescriptors(value)
    seen.set(value, { path, descriptors })
    if (depth === 0) return
    for (const key of Reflect.ownKeys(descriptors)) {
      const { value: inner } = descriptors[key]
      look(`${path}.${String(key)}`, inner, depth - 1)
    }
    look(`${path}.[[Prototype]]`, Object.getPrototypeOf(value), depth - 1)
  }
  for (const [name, value] of shared) look(name, value, 4)
  look('crypto.subtle', crypto.subtle, 2)
  return seen
}

const same = (a, b) =>
  a && b && ['value', 'get', 'set', 'writable'].every((each) => Object.is(a[each], b[each]))
function changes(before) {
  return [...before].flatMap(([object, { path, descriptors }]) => {
    const now = Object.getOwnPropertyDescriptors(object)
    const keys = new Set([...Reflect.ownKeys(descriptors), ...Reflect.ownKeys(now)])
    return [...keys]
      .filter((key) => !same(descriptors[key], now[key]))
      .map((key) => `${path}.${String(key)}`)
  })
}

/** Loads everything that a service loads, and asks each operation once. */
async function visit(load) {
  const { serve } = await load('serve.js')
  const { loadConfig } = await load('settings/load.js')
  const quiet = { info() {}, warn() {}, error() {} }
  const anyPort = { HV_LISTEN: '127.0.0.1:0', HV_OPS_LISTEN: '127.0.0.1:0' }
  const config = loadConfig(join(ROOT, 'config/demo.yaml'), anyPort)
  const [assets, dashboard] = ['assets', 'dashboard'].map((each) => join(ROOT, 'dist', each))
  const service = await serve(config, { log: quiet, assets, dashboard, version: '0' })
  const ask = async (name, fields) => {
    const headers = { origin: 'http://localhost:8081' }
    const body = new URLSearchParams(fields)
    const answer = await fetch(`${service.url}/api/v1/${name}`, { method: 'POST', headers, body })
    await answer.text()
    return answer.status
  }
  const [{ sitekey }] = config.sites
  const statuses = [
    await ask('challenge', { sitekey, action: 'sign-up' }),
    await ask('solve', { challenge: 'a.b.c', solution: 'x' }),
    await ask('siteverify', { secret: 'x', response: 'x' }),
  ]
  await service.close()
  return statuses
}

/** Node.js defines some globals, and loads its client, at the first use. */
async function settle() {
  const server = createServer((_req, res) => res.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await fetch(`http://127.0.0.1:${server.address().port}`).then((answer) => answer.text())
  server.closeAllConnections()
  server.close()
  for (const key of Reflect.ownKeys(globalThis)) void globalThis[key]
}

await settle()
const before = snapshot()
const statuses = await visit((file) => import(join(ROOT, 'dist', file)))
process.stdout.write(JSON.stringify({ visit: statuses, changed: changes(before) }))
