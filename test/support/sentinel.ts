import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closeLater, newFolder } from './close-later.ts'
import { eventually } from './ledger-contract.ts'
import { needProgram } from './programs.mjs'
import { freePort } from './ports.mjs'
import { askRedis, listening } from './redis.ts'

/** Where one Sentinel runs; on this machine unless said otherwise. */
export interface SentinelPlace {
  /** The address that others know it by. */
  readonly address?: string
  /** Where we reach it. */
  readonly reach?: string
  /** What its command begins with: `['ip', 'netns', 'exec', …]`. */
  readonly exec?: readonly string[]
}

export interface SentinelOptions {
  readonly primary: { readonly host: string; readonly port: number }
  /** How many replicas the Sentinels must know of before they are ready. */
  readonly replicas: number
  /** One for each Sentinel; a majority of them decides. If omitted: three on this machine. */
  readonly places?: readonly SentinelPlace[]
  /** Milliseconds, also until a replica of another primary is corrected. */
  readonly failoverTimeoutMs?: number
  /** The text of a file to use as it stands, but for its port, its folder and where the primary is. If omitted: one of ours. */
  readonly file?: string
  /** The user of the Sentinels, with any password; Redis' default user if omitted. */
  readonly operator?: string
}

export type Sentinels = Awaited<ReturnType<typeof startSentinels>>

/** Starts real Sentinels, which watch a primary under the name `hv`. */
export async function startSentinels(options: SentinelOptions) {
  const { primary, replicas, places = [{}, {}, {}], failoverTimeoutMs = 3000 } = options
  const quorum = Math.floor(places.length / 2) + 1
  const all = await Promise.all(places.map(start))

  async function start({ address = '127.0.0.1', reach = address, exec = [] }: SentinelPlace) {
    const port = await freePort()
    const folder = newFolder()
    const file = join(folder, 'sentinel.conf')
    const given = options.file
      ?.replace(/^port .*$/m, `port ${port}`)
      .replace(/^dir .*$/m, `dir ${folder}`)
      .replace(
        /^sentinel monitor hv \S+ \S+/m,
        `sentinel monitor hv ${primary.host} ${primary.port}`,
      )
    const lines = [
      `port ${port}`,
      `bind ${address === '127.0.0.1' ? address : '0.0.0.0'}`,
      'protected-mode no',
      `dir ${folder}`,
      `sentinel announce-ip ${address}`,
      `sentinel monitor hv ${primary.host} ${primary.port} ${quorum}`,
      'sentinel down-after-milliseconds hv 800',
      `sentinel failover-timeout hv ${failoverTimeoutMs}`,
    ]
    writeFileSync(file, given ?? lines.join('\n'))
    const [program, ...args] = [...exec, needProgram('redis'), file, '--sentinel']
    const server = spawn(program, args, { stdio: 'ignore' })
    const exited = once(server, 'exit')
    await listening(port, reach)
    return {
      node: `${address}:${port}`,
      ask: (...command: string[]) =>
        askRedis(port, reach, options.operator, ['SENTINEL', ...command]),
      async stop() {
        if (server.exitCode === null && server.signalCode === null) server.kill('SIGKILL')
        await exited
      },
    }
  }

  const stop = async (): Promise<void> => void (await Promise.all(all.map((each) => each.stop())))
  closeLater(stop, () => stop())
  await everyoneKnows()

  async function everyoneKnows(): Promise<void> {
    await eventually(async () => {
      const known = await Promise.all(
        all.map((each) => each.ask('MASTER', 'hv') as Promise<string[]>),
      )
      const ready = known.every(
        (fields) =>
          told(fields, 'num-slaves') === replicas &&
          told(fields, 'num-other-sentinels') === all.length - 1,
      )
      if (!ready) throw new Error('the Sentinels do not know of each other and of the replicas')
    }, 20_000)
  }

  return {
    /** `host:port` of each. */
    nodes: all.map(({ node }) => node),
    /** The port of the primary in the eyes of the n-th. */
    async primaryPort(n = 0) {
      const [, port] = (await all[n]!.ask('GET-MASTER-ADDR-BY-NAME', 'hv')) as [string, string]
      return Number(port)
    },
    /** Asks the first one for a failover now. @throws {Error} when it refuses. */
    failover: async () => void (await all[0]!.ask('FAILOVER', 'hv')),
    stop,
  }
}

/** One field of the flat list that SENTINEL MASTER answers. */
const told = (fields: readonly string[], name: string): number =>
  Number(fields[fields.indexOf(name) + 1])
