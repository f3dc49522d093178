import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { closeLater, newFolder } from './close-later.ts'
import { freePort } from './ports.mjs'
import { needProgram } from './programs.mjs'

export interface RedisOptions {
  readonly port?: number
  /** Further arguments of redis-server: `['--maxmemory-policy', 'allkeys-lru']`. */
  readonly args?: readonly string[]
  /** Where we reach it; with another one than loopback, `args` say where it binds. */
  readonly host?: string
  /** What its command begins with: `['ip', 'netns', 'exec', …]`. */
  readonly exec?: readonly string[]
  /** The user of `cli`, with any password; Redis' default user if omitted. */
  readonly operator?: string
}

/** Whether the server that is tested has what came with Redis 7. Every Valkey has it. */
export function isSinceRedis7(): boolean {
  const says = execFileSync(needProgram('redis'), ['--version'], { encoding: 'utf8' })
  return Number(/v=(\d+)/.exec(says)?.[1]) >= 7
}

/** Whether the server that is tested was built with TLS: it then asks for a certificate, and ends. */
export function speaksTls(): boolean {
  const { stdout } = spawnSync(needProgram('redis'), ['--port', '0', '--tls-port', '1'], {
    encoding: 'utf8',
    cwd: newFolder(),
  })
  return stdout.includes('tls-cert-file')
}

export type TestRedis = Awaited<ReturnType<typeof startRedis>>

/** A real Redis, which ends with the tests of the file: a free port, its own folder, nothing kept on disk. */
export async function startRedis(options: RedisOptions = {}) {
  const { port, args = [], host = '127.0.0.1', exec = [], operator } = options
  const ownPort = port ?? (await freePort())
  const folder = newFolder()
  const quiet = [
    '--save',
    '',
    '--appendonly',
    'no',
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--loglevel',
    'warning',
  ]
  let server: ChildProcess | undefined

  /** Starts it at the same port, empty. */
  async function start(): Promise<void> {
    const [program, ...rest] = [
      ...exec,
      needProgram('redis'),
      '--port',
      String(ownPort),
      ...quiet,
      ...args,
    ]
    server = spawn(program!, rest, { stdio: 'ignore' })
    await listening(ownPort, host)
  }

  async function stop(): Promise<void> {
    const dying = server
    server = undefined
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return
    const exited = once(dying, 'exit')
    dying.kill('SIGKILL')
    await exited
  }

  closeLater(stop, () => stop())
  await start()
  return {
    port: ownPort,
    url: `redis://${host}:${ownPort}/0`,
    cli: (...command: string[]) => askRedis(ownPort, host, operator, command),
    start,
    stop,
    async restart() {
      await stop()
      await start()
    },
    /** Hangs it: it still has its port and its connections, and answers nothing. */
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    remove: stop,
  }
}

/** Runs one command on a new connection. @param username without a password, so that it takes any. */
export async function askRedis(
  port: number,
  host: string,
  username: string | undefined,
  [name, ...rest]: string[],
) {
  const user = username === undefined ? {} : { username, password: 'any' }
  const client = new Redis({
    host,
    port,
    protocol: 2,
    disableClientInfo: true,
    disconnectTimeout: 200,
    ...user,
  })
  try {
    return await client.call(name!, ...rest)
  } finally {
    client.disconnect()
  }
}

/** Waits until a port accepts connections. @throws {Error} after 30 s. */
export async function listening(port: number, host = '127.0.0.1'): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    if (await connects(port, host)) return
    await sleep(20)
  }
  throw new Error(`nobody listens on ${port}`)
}

/** Whether a new connection is taken. */
export async function connects(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect({ host, port })
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}
