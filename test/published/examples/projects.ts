/** The projects under `examples/`: installed as a customer installs them, and started as a customer starts them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../support/ports.mjs'
import { listening } from '../../support/redis.ts'

export const ROOT = join(import.meta.dirname, '../../..')

export interface Running {
  readonly url: string
  /** All that it printed. */
  said(): string
  stop(): Promise<void>
}

export const folderOf = (project: string): string => join(ROOT, 'examples', project)

/** `npm ci`, if any dependency is not there; says so, because it takes a while. @throws {Error} when it fails. */
export function installProject(project: string): string {
  const folder = folderOf(project)
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Readonly<Record<string, string>>
  }
  if (!Object.keys(dependencies).every((name) => existsSync(join(folder, 'node_modules', name)))) {
    process.stdout.write(`test:examples installs examples/${project}: npm ci --prefix examples/${project}\n`)
    run('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'], folder)
  }
  return folder
}

/** @throws {Error} when it fails, with what it said. */
export function run(command: string, args: readonly string[], folder: string): void {
  const done = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env: QUIET })
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}\n${done.stdout}\n${done.stderr}`)
}

const QUIET: NodeJS.ProcessEnv = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }

/** Runs a program that listens on `PORT`; `%PORT%` in an argument is that port. @throws {Error} when it does not listen within a minute. */
export async function start(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program = process.execPath,
): Promise<Running> {
  const port = await freePort()
  const withPort = args.map((arg) => arg.replace('%PORT%', String(port)))
  const child = spawn(program, withPort, { cwd: folder, env: { ...QUIET, ...env, PORT: String(port) } })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await reachable(child, port, () => said)
  return {
    url: `http://127.0.0.1:${port}`,
    said: () => said,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function reachable(child: ChildProcess, port: number, said: () => string): Promise<void> {
  for (let tries = 0; tries < 12; tries++) {
    if (child.exitCode !== null) break
    try {
      await listening(port)
      return
    } catch {
      // It waits 5 s; a start on a busy machine takes longer.
    }
  }
  child.kill('SIGKILL')
  throw new Error(`it did not start: ${said()}`)
}
