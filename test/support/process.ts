import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newKey } from '../../src/tokens/keyring.ts'
import { unixSeconds } from '../../src/domain/words.ts'
import { closeLater, newFolder } from './close-later.ts'
import { proverWithFile } from './prove.ts'

/** The program that is shipped: `npm run build:service` made it before the tests. */
const PROGRAM = join(import.meta.dirname, '../../dist/main.js')
/** Milliseconds that a start or a line may take on a machine that does other things too. */
const PATIENCE = 50_000

export const ORIGIN = 'https://shop.example.com'
export const SITEKEY = 'hv_site_testshop'
export const SECRET = `hv_secret_${'procesS0'.repeat(5)}abc`

/** A site of the configuration, with these settings too. */
export function siteWith(secret: string, settings: object = {}) {
  return {
    sitekey: SITEKEY,
    secrets: [{ sha256: createHash('sha256').update(secret).digest('hex') }],
    hostnames: ['shop.example.com'],
    token_lifetime: '600s',
    // Constant work; test/world/history covers how it rises.
    work: { level: 0, max_level: 0 },
    ...settings,
  }
}

/** A configuration with one site with the least work, limits that are never reached, and free ports. */
export const CONFIG = {
  version: 1,
  listen: '127.0.0.1:0',
  ops_listen: '127.0.0.1:0',
  limits: {
    challenge: '1000000 per 1m',
    solve: '1000000 per 1m',
    siteverify: '1000000 per 1m',
    junk: '1000000 per 1m',
    invalid_secret: '1000000 per 1m',
  },
  sites: [siteWith(SECRET)],
}

export interface ServiceOptions {
  /** An object, or the text of a file as it is. */
  readonly config?: object | string
  /** An existing file or folder, instead of `config`. */
  readonly at?: string
  readonly env?: Readonly<Record<string, string>>
  /** From `keyringFile`; a new one if omitted. */
  readonly keyring?: string
  /** Another program than this build's: that of another release. */
  readonly program?: string
  /** What its command begins with: `['ip', 'netns', 'exec', …]`. */
  readonly exec?: readonly string[]
  /** Arguments of Node.js: `['--import', …]`. */
  readonly nodeArgs?: readonly string[]
}

export type ServiceProcess = Awaited<ReturnType<typeof startService>>

/** A keyring that several processes may share, made by the service's own code. */
export function keyringFile(): string {
  const file = join(newFolder(), 'keyring.json')
  const key = newKey(unixSeconds(Math.floor(Date.now() / 1000)))
  writeFileSync(file, JSON.stringify({ keys: [key] }), { mode: 0o600 })
  return file
}

/** Starts the service, which ends with the tests of the file, and waits until it listens. @throws {Error} with `exitCode`, and what it `said` on both streams. */
export async function startService(options: ServiceOptions = {}) {
  const {
    config = CONFIG,
    env = {},
    keyring = keyringFile(),
    exec = [],
    nodeArgs = [],
    program = PROGRAM,
  } = options
  const configFile = options.at ?? join(newFolder(), 'config.yaml')
  if (options.at === undefined)
    writeFileSync(
      configFile,
      typeof config === 'string' ? config : JSON.stringify(config, undefined, 2),
    )

  const [command, ...args] = [
    ...exec,
    process.execPath,
    ...nodeArgs,
    program,
    'serve',
    '--config',
    configFile,
  ]
  const child = spawn(command!, args, {
    env: { PATH: process.env['PATH'] ?? '', HV_KEYRING: keyring, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
  const ended = once(child, 'close')
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (!isOver()) child.kill(signal)
    await ended
    return child.exitCode
  }
  closeLater(stop, () => stop('SIGKILL'))

  const parsed: Record<string, unknown>[] = []
  let parsedUntil = 0
  const lines = (): Record<string, unknown>[] => {
    const end = said.out.lastIndexOf('\n') + 1
    const fresh = said.out.slice(parsedUntil, end).split('\n').slice(0, -1)
    for (const line of fresh) parsed.push(JSON.parse(line) as Record<string, unknown>)
    parsedUntil = Math.max(end, parsedUntil)
    return [...parsed]
  }
  const find = (message: string, from: number) =>
    lines().find((each, i) => i >= from && each['message'] === message)
  const waitFor = async (
    message: string,
    from: number,
    ms: number,
  ): Promise<Record<string, unknown>> => {
    for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) {
      const found = find(message, from)
      if (found) return found
      if (isOver()) break
    }
    if (!isOver()) throw new Error(`no line "${message}" in ${ms} ms`)
    await ended
    const [{ exitCode }, all] = [child, said.out + said.err]
    throw Object.assign(new Error(`hv serve ended with ${exitCode}: ${all}`), {
      exitCode,
      said: all,
    })
  }

  const listening = await waitFor('listening', 0, PATIENCE)
  const url = String(listening['url'])
  return {
    url,
    opsUrl: String(listening['ops_url']),
    configFile,
    ask: { base: url, sitekey: SITEKEY, origin: ORIGIN, prove: proverWithFile(keyring) },
    lines,
    /** Waits for a line with this message, from the n-th line on. @throws {Error} after 50 s. */
    line: (message: string, from = 0) => waitFor(message, from, PATIENCE),
    said: () => said.out + said.err,
    /** What it wrote to standard error. */
    complaints: () => said.err,
    isOver,
    signal: (name: NodeJS.Signals) => void child.kill(name),
    /** SIGTERM. @returns the exit code. */
    stop: () => stop('SIGTERM'),
    /** SIGKILL. */
    kill: async () => void (await stop('SIGKILL')),
  }
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
