import { readFileSync } from 'node:fs'
import {
  CONFIG as ONE_SITE,
  keyringFile,
  type ServiceProcess,
  startService,
} from '../../support/process.ts'
import { freePort } from '../../support/ports.mjs'
import { proverWithFile } from '../../support/prove.ts'

/** `product`: what is shipped, `hv serve`. With the others, only the ledger is another: control/use.js. */
export type Ledger = 'product' | 'naive' | 'small'

const CONTROL = new URL('./control/use.js', import.meta.url)
/** One keyring for all instances, made at this start. */
const KEYRING = keyringFile()
/** Its secret, which no log may show. */
export const KEY = (JSON.parse(readFileSync(KEYRING, 'utf8')) as { keys: { k: string }[] }).keys[0]!
  .k
/** Answers the browser proof for visitors of any instance. */
export const prove = proverWithFile(KEYRING)
/** One site with the least work, and limits that are never reached: only the ledger is tested. */
export const CONFIG = { ...ONE_SITE, trusted_proxies: ['127.0.0.0/8', '198.18.0.0/15'] }

export interface InstanceOptions {
  readonly ledger: Ledger
  /** `redis` of the configuration; the embedded ledger if omitted. */
  readonly redis?: object
  /** What its configuration has instead. */
  readonly change?: object
  /** The address it listens on. */
  readonly host?: string
  /** What its command begins with: `ip netns exec …`. */
  readonly exec?: readonly string[]
}

/** One instance of the service, as a process that may die and come back at the same address. */
export type Instance = Awaited<ReturnType<typeof startInstance>>

/** Writes the configuration, starts the process and waits until it listens. */
export async function startInstance(options: InstanceOptions) {
  const { ledger, redis, change, host = '127.0.0.1', exec = [] } = options
  const listen = `${host}:${await freePort()}`
  const config = { ...CONFIG, listen, ...(redis && { redis }), ...change }
  const nodeArgs = ledger === 'product' ? [] : ['--import', `${CONTROL.href}?${ledger}`]
  const all: ServiceProcess[] = []
  let told = false
  async function start(): Promise<void> {
    all.push(await startService({ config, keyring: KEYRING, exec, nodeArgs }))
    told = false
  }
  const present = (): ServiceProcess => all.at(-1)!

  await start()
  return {
    url: `http://${listen}`,
    /** The process of now. */
    process: present,
    start,
    /** SIGTERM. @returns the exit code. */
    async stop() {
      told = true
      return present().stop()
    },
    async kill() {
      told = true
      await present().kill()
    },
    /** Whether it ended unexpectedly. */
    crashed: () => !told && present().isOver(),
    /** All that its processes ever wrote. */
    said: () => all.map((each) => each.said()).join(''),
    /** What of that was on standard error. */
    complaints: () => all.map((each) => each.complaints()).join(''),
  }
}
