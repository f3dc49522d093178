/** Servers that are written as docs/start/guide.md shows them, with the frameworks of this folder's package.json. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { closeLater, newFolder as newTemporary } from '../../support/close-later.ts'
import { freePort } from '../../support/ports.mjs'
import { listening } from '../../support/redis.ts'
import { install } from '../drop-in/third-party.ts'

export const ROOT = join(import.meta.dirname, '../../..')
const QUIET: NodeJS.ProcessEnv = {
  ...process.env,
  NEXT_TELEMETRY_DISABLED: '1',
  NODE_ENV: 'production',
}

export const installFrameworks = (): void => install(import.meta.dirname)

/** The service's package, among the frameworks. */
export const PACKAGE = join(import.meta.dirname, 'node_modules/@human-verification/server')

/** Packs the service's package and unpacks it among the frameworks; what it depends on is found in the folders above. */
export function installServer(): void {
  rmSync(PACKAGE, { recursive: true, force: true })
  mkdirSync(PACKAGE, { recursive: true })
  const packed = newTemporary()
  const args = ['pack', '--ignore-scripts', '--pack-destination', packed]
  execFileSync('npm', args, { cwd: ROOT, stdio: 'pipe' })
  const tarball = join(packed, 'human-verification-server-0.1.0.tgz')
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', PACKAGE])
}

/** A new folder below the installed packages, so that they are found. */
export const newFolder = (): string =>
  closeLater(mkdtempSync(join(import.meta.dirname, '.page-')), (folder) =>
    rmSync(folder, { recursive: true }),
  )

export function write(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

/** Runs a program to its end. @throws {Error} when it fails, with its output. */
export async function run(program: string, args: readonly string[], folder: string): Promise<void> {
  await promisify(execFile)(program, args, { cwd: folder, env: QUIET }).catch(
    (error: Error & { stdout: string }) => {
      throw new Error(`${error.message}\n${error.stdout}`)
    },
  )
}

export interface Running {
  readonly url: string
  /** All that it printed. */
  said(): string
  stop(): Promise<void>
  /** SIGTERM. @returns the exit code; null: it was killed. */
  end(): Promise<number | null>
}

/** Runs a server that listens on `PORT`; `%PORT%` in an argument is that port. @throws {Error} when it does not listen. */
export async function start(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program = process.execPath,
): Promise<Running> {
  const port = await freePort()
  const withPort = args.map((arg) => arg.replace('%PORT%', String(port)))
  const child = spawn(program, withPort, {
    cwd: folder,
    env: { ...QUIET, ...env, PORT: String(port) },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  closeLater(stop, () => stop())
  const died = once(child, 'exit').then(() =>
    Promise.reject(new Error(`it did not start: ${said}`)),
  )
  died.catch(() => {})
  await Promise.race([listening(port), died])
  async function end(): Promise<number | null> {
    child.kill('SIGTERM')
    await once(child, 'exit')
    return child.exitCode
  }
  return { url: `http://127.0.0.1:${port}`, said: () => said, stop, end }
}

export type Block =
  /** `file=…`: goes into a file of that name. */
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  /** `ts [Label]` without a file: is compiled with the framework's own types. */
  | { readonly kind: 'typed'; readonly label: string; readonly text: string }
  /** `sh`: is run; `background` goes on while the page is tried. */
  | { readonly kind: 'command'; readonly background: boolean; readonly text: string }
  /** `text output`: what the command before it prints. */
  | { readonly kind: 'output'; readonly text: string }

/** The fenced blocks of a page of `docs/start`. @throws {Error} for a block that nothing runs: whatever stands in the page is run. */
function blocksOf(file: string): Block[] {
  const page = readFileSync(join(ROOT, 'docs/start', file), 'utf8')
  return [...page.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, head = '', text = '']) => {
    const [language = '', ...words] = head.trim().split(/\s+/)
    const name = words.find((each) => each.startsWith('file='))?.slice('file='.length)
    if (name !== undefined) return { kind: 'file', name, text }
    if (language === 'ts') return { kind: 'typed', label: words.join(' '), text }
    if (language === 'text' && words.includes('output')) return { kind: 'output', text }
    if (language === 'sh')
      return { kind: 'command', background: words.includes('background'), text }
    throw new Error(`${file} has a block that nothing runs: \`\`\`${head}`)
  })
}
export const GUIDE = blocksOf('guide.md')
export const LIBRARY = blocksOf('library.md')
