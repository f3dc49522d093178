import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unixSeconds } from '../../../src/domain/words.ts'
import { proverWithKeys } from '../../support/prove.ts'
import { newKey } from '../../../src/tokens/keyring.ts'
import { freePort } from '../../support/ports.mjs'
import { until } from './moments.ts'

/** `product`: what is shipped, `hv serve`. With the others, only the ledger is another: control/use.js. */
export type Ledger = 'product' | 'naive' | 'small'

const BUILT = join(import.meta.dirname, '../../../dist/main.js')
const CONTROL = new URL('./control/use.js', import.meta.url)

export const ORIGIN = 'https://shop.example.com'
export const SITEKEY = 'hv_site_faultshop'
export const SECRET = `hv_secret_${randomBytes(32).toString('base64url')}`
/** One key for all instances, made at this start. */
export const KEY = newKey(unixSeconds(Math.floor(Date.now() / 1000)))

/** Answers the browser proof for visitors of any instance. */
export const prove = proverWithKeys([KEY])

/** One site with the least work, and limits that nobody meets: the ledger is what is tested. */
export const CONFIG = {
  version: 1,
  ops_listen: '127.0.0.1:0',
  trusted_proxies: ['127.0.0.0/8', '198.18.0.0/15'],
  keyring: 'keyring.json',
  limits: { challenge: '1000000 per 1m', solve: '1000000 per 1m', siteverify: '1000000 per 1m' },
  sites: [
    {
      sitekey: SITEKEY,
      secrets: [{ sha256: createHash('sha256').update(SECRET).digest('hex') }],
      hostnames: ['shop.example.com'],
      work: { level: 0, max_level: 0 },
    },
  ],
}

export interface InstanceOptions {
  readonly ledger: Ledger
  /** `redis` of the configuration; left out: the embedded ledger. */
  readonly redis?: object
  /** What its configuration has instead. */
  readonly change?: object
  /** The address it listens on. */
  readonly host?: string
  /** What its command begins with: `ip netns exec …`. */
  readonly exec?: readonly string[]
}

/** One instance of the service, as a process that may die and come back at the same address. */
export interface Instance {
  readonly url: string
  readonly configFile: string
  start(): Promise<void>
  /** SIGTERM. @returns the exit code. */
  stop(): Promise<number | null>
  kill(): Promise<void>
  signal(name: NodeJS.Signals): void
  /** Whether somebody ended it, so that requests may be lost. */
  readonly wasEnded: () => boolean
  /** Whether it ended without being told to. */
  crashed(): boolean
  /** All that it ever wrote. */
  readonly said: { readonly out: string; readonly err: string }
  /** Ends it and removes its folder. */
  remove(): Promise<void>
}

/** Writes the configuration, starts the process and waits until it listens. */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { ledger, redis, change, host = '127.0.0.1', exec = [] } = options
  const folder = mkdtempSync(join(tmpdir(), 'hv-fault-'))
  const configFile = join(folder, 'config.yaml')
  const address = `${host}:${await freePort()}`
  writeFileSync(
    configFile,
    JSON.stringify({ ...CONFIG, listen: address, ...(redis && { redis }), ...change }, undefined, 2),
  )
  writeFileSync(join(folder, 'keyring.json'), JSON.stringify({ keys: [KEY] }), { mode: 0o600 })
  const swap = ledger === 'product' ? [] : ['--import', `${CONTROL.href}?${ledger}`]
  const [command, ...args] = [...exec, process.execPath, ...swap, BUILT, 'serve', '--config', configFile]

  const said = { out: '', err: '' }
  let child: ChildProcess | undefined
  let told = false
  let ended = false

  async function start(): Promise<void> {
    const from = said.out.length
    told = false
    const started = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] } })
    child = started
    started.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
    started.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
    await until(() => {
      if (isOver(started)) throw new Error(`an instance did not start: ${said.err}${said.out}`)
      return said.out.includes('"message":"listening"', from)
    }, 15_000)
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const dying = child
    if (!dying || isOver(dying)) return dying?.exitCode ?? null
    told = true
    ended = true
    const exited = once(dying, 'close')
    dying.kill(signal)
    await exited
    return dying.exitCode
  }

  await start()
  return {
    url: `http://${address}`,
    configFile,
    start,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    signal: (name) => void child?.kill(name),
    wasEnded: () => ended,
    crashed: () => child !== undefined && isOver(child) && !told,
    said,
    async remove() {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null
