import { createHash, randomBytes } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from './folder.mjs'
import { dist, ROOT } from './machine.mjs'
import { start, until } from './processes.mjs'

const programOf = (root) => join(root, 'dist/main.js')
export const SITEKEY = 'hv_site_evaluation'
export const ACTION = 'sign-up'
/** The action of a page that asks for a token when it is loaded. */
export const SILENT = 'silent-check'
/** The score that such an action asks for (docs/widget/javascript.md, "Without a touch"). */
export const SILENT_THRESHOLD = 0.33
/** Browsers treat loopback as trustworthy and send it what they send to https; this tells the service so. */
const PUBLIC_URL = 'https://verify.example.com'

/** Node.js' own flags, as the image starts the service. */
const imageFlags = () =>
  /^exec node (.+) \/app\/dist\/main\.js /m
    .exec(readFileSync(join(ROOT, 'deploy/image/start.sh'), 'utf8'))[1]
    .split(' ')

/**
 * Starts `hv serve` as it is built, with one site whose settings are the defaults, behind one trusted proxy (edge.mjs), so that
 * each visitor can have an address of its own on a machine that has only one. Without `redisUrl`, the ledger is the
 * embedded one. `policy` has settings of the site, `settings` those of the service, `lists` addresses. `measured`: on which core
 * and by which Node.js, as the image starts it, and perhaps of which other checkout; its log is thrown away. `keys` is a keyring's text; if omitted, it is a new one.
 * `siteFiles`: settings of other sites, which then replace that one, each in a file of its own. `nodeArgs`: further arguments of Node.js.
 */
export async function startService({ measured, keys, nodeArgs = [], ...wishes } = {}) {
  const own = folder('hv-lab')
  const { node = process.execPath, core, root = ROOT } = measured ?? {}
  const program = programOf(root)
  const secret = `hv_secret_${randomBytes(32).toString('base64url')}`
  const keyring = writeKeyring(own.path, program, keys)
  const file = writeConfig(own.path, { ...wishes, secret, keyring })
  const flags = [...(measured ? imageFlags() : []), ...nodeArgs]
  const startedAt = performance.now()
  const server = start(node, [...flags, program, 'serve', '--config', file], {
    core,
    env: { PATH: process.env.PATH ?? '' },
  })
  const lines = logOf(server)
  const listening = await until(
    () => lines.find(({ message }) => message === 'listening'),
    `hv serve: ${server.said().slice(-500)}`,
    60_000,
  )
  const startedMs = performance.now() - startedAt
  if (measured) server.ignore()
  return {
    url: listening.url,
    secret,
    /** The file of its signing keys. */
    keyring,
    cpu: server.cpu,
    rss: server.rss,
    /** Milliseconds from the start of its process until it listened. */
    startedMs,
    /** Whether it has logged a line with this message. */
    logged: (message) => lines.some((line) => line.message === message),
    /** Replaces the file of a site, of those in files of their own. */
    changeSite: (changed) => writeSite(file, changed),
    /** What the service logged of a token: the decision, as somebody who looks into a complaint reads it. */
    decisionOf: (jti) =>
      until(
        () => lines.find((line) => line.message === 'solve' && line.jti === jti),
        'the log line of solve',
        3000,
      ),
    /** All that went wrong by the service's own account. */
    errors: () => lines.filter(({ level }) => level === 'error'),
    async stop() {
      await server.stop()
      own.remove()
    },
  }
}

/** Writes the keyring into a folder. @returns its path */
function writeKeyring(path, program, keys) {
  const keyring = join(path, 'keyring.json')
  if (keys) writeFileSync(keyring, keys, { mode: 0o600 })
  else execFileSync(process.execPath, [program, 'keygen', '--keyring', keyring], { stdio: 'pipe' })
  return keyring
}

/** Writes the configuration, and the lists of addresses that it names, into a folder. @returns its path */
function writeConfig(path, wishes) {
  const { redisUrl, policy, settings, lists = [], siteFiles, secret, keyring } = wishes
  const written = lists.map(({ name, kind, ranges }) => {
    const file = join(path, `${name}.txt`)
    writeFileSync(file, `${ranges.join('\n')}\n`)
    return { name, kind, file }
  })
  const config = {
    version: 1,
    listen: '127.0.0.1:0',
    ops_listen: '127.0.0.1:0',
    public_url: PUBLIC_URL,
    trusted_proxies: ['127.0.0.1/32'],
    keyring,
    ...(written.length > 0 && { network: { lists: written } }),
    ...(redisUrl !== undefined && { redis: { url: redisUrl } }),
    ...settings,
  }
  if (siteFiles !== undefined) return writeFolder(path, config, siteFiles)
  const sha256 = createHash('sha256').update(secret).digest('hex')
  const site = { sitekey: SITEKEY, secrets: [{ sha256 }], ...SITE, ...policy }
  const file = join(path, 'config.yaml')
  writeFileSync(file, JSON.stringify({ ...config, sites: [site] }, undefined, 2))
  return file
}

/** What a site of a stand has beside its key and its secret. */
const SITE = {
  hostnames: ['localhost', '127.0.0.1'],
  actions: [ACTION, { name: SILENT, score_threshold: SILENT_THRESHOLD }],
}

/** Writes a configuration whose sites have files of their own. @returns its folder */
function writeFolder(path, config, sites) {
  const at = join(path, 'config')
  mkdirSync(join(at, 'sites'), { recursive: true })
  writeFileSync(join(at, 'config.yaml'), JSON.stringify(config, undefined, 2))
  for (const site of sites) writeSite(at, site)
  return at
}

/** Writes the file of a site as people write it, and by a rename. */
function writeSite(at, settings) {
  const lines = Object.entries({ ...SITE, ...settings }).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}\n`,
  )
  const written = join(at, `${settings.sitekey}.tmp`)
  writeFileSync(written, lines.join(''))
  renameSync(written, join(at, 'sites', `${settings.sitekey}.yaml`))
}

/** Collects the lines of its log, as they come. */
function logOf(server) {
  const lines = []
  let rest = ''
  server.child.stdout.on('data', (text) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop()
    for (const part of parts) if (part.startsWith('{')) lines.push(JSON.parse(part))
  })
  return lines
}

/** Signs and opens tokens as the service does, by its file of keys. */
export async function tokensOf(file) {
  const { keyring, readKeyringFile } = await dist('tokens/keyring.js')
  const { jwtTokens } = await dist('tokens/jwt-tokens.js')
  const clock = { now: () => Math.floor(Date.now() / 1000) }
  return jwtTokens({ keyring: keyring(readKeyringFile(file)), issuer: PUBLIC_URL, clock })
}
