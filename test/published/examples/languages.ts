/** The recipes of `examples/verify` in their own toolchains: each is driven by a program of `drivers/`. */
import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Call, Client } from '../../../packages/client/test/cases.ts'
import { closeLater } from '../../support/close-later.ts'
import { findProgram, needProgram } from '../../support/programs.mjs'
import { ROOT } from './projects.ts'

type Command = readonly [program: string, ...args: string[]]
type Environment = Readonly<Record<string, string | undefined>>

export interface Language {
  readonly name: string
  /** The program of the toolchain that is missing here; the recipe is then not run. */
  readonly lacks?: string | undefined
  /** Whether its HTTP client repeats what was answered by 503 with Retry-After, until the recipe's time-out. */
  readonly repeatsBusy?: boolean
  /** Compiles the recipe and its driver. @returns the command that starts a client. */
  readonly client: () => Promise<(env?: Environment) => Client>
}

const RECIPES = join(ROOT, 'examples/verify')
const DRIVERS = join(import.meta.dirname, 'drivers')
/** Compilers find here what they compiled in an earlier run. */
const BUILD = join(ROOT, 'build/programs/recipes')

/** HOME is where toolchains find their caches. In a C locale, some languages read a token as something else than UTF-8. */
const environment = (more: Environment = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  LANG: 'C.UTF-8',
  ...more,
})

async function compile(folder: string, [program, ...args]: Command, more?: Environment) {
  await promisify(execFile)(program, args, { cwd: folder, env: environment(more) })
}

/** Makes an argument list that has every member: null is an empty text, and no number is NaN, which JSON has not. */
function toLine(call: Call): string {
  const number = (value: number | string | null | undefined, otherwise: number): string =>
    String(Number(value ?? otherwise))
  return JSON.stringify({
    url: call.url ?? '',
    secret: call.secret ?? '',
    action: call.action ?? '',
    hostnames: call.hostnames,
    threshold: number(call.threshold, 0),
    timeout: number(call.timeout, 3),
    remoteip: call.remoteip ?? '',
    response: call.response ?? '',
  })
}

/** Starts a driver. It reads a call, as JSON, from each line of its standard input, and prints a line with the verdict. */
function startDriver([program, ...args]: Command, more?: Environment): Client {
  const child = spawn(program, args, { env: environment(more) })
  closeLater(child, (it) => it.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  child.stdin.on('error', () => {})
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async (call) => {
    child.stdin.write(`${toLine(call)}\n`)
    const line = await lines.next()
    if (line.done === true) throw new Error(`the driver ended: ${errors}`)
    return line.value
  }
}

/** Calls the shell's recipe, which is a program: examples/verify/README.md has its protocol. */
const shell =
  (more?: Environment): Client =>
  (call) =>
    new Promise((resolve, reject) => {
      const settings = {
        HV_URL: call.url,
        HV_SECRET: call.secret,
        HV_ACTION: call.action,
        HV_HOSTNAMES: call.hostnames.join(','),
        HV_THRESHOLD: call.threshold,
        HV_REMOTEIP: call.remoteip,
        HV_TIMEOUT: call.timeout,
      }
      const given = Object.entries(settings).flatMap(([name, value]) =>
        value === null || value === undefined ? [] : [[name, String(value)] as const],
      )
      const env = environment({ ...Object.fromEntries(given), ...more })
      const child = execFile(
        '/bin/sh',
        [join(RECIPES, 'verify.sh')],
        { env },
        (error, out, err) => {
          const verdict = out.trim()
          const code = error ? error.code : 0
          if (/^[a-z-]+$/.test(verdict) && code === (verdict === 'accepted' ? 0 : 1))
            resolve(verdict)
          else reject(new Error(`exit ${code}, stdout "${out}", stderr "${err}"`))
        },
      )
      // A recipe that refuses before it reads closes its standard input.
      child.stdin!.on('error', () => {})
      child.stdin!.end(call.response ?? '')
    })

const interpreted = (name: string, command: () => Command): Language => ({
  name,
  client: () => Promise.resolve((env) => startDriver(command(), env)),
})

async function buildGo(): Promise<(env?: Environment) => Client> {
  const folder = join(BUILD, 'go')
  mkdirSync(join(folder, 'verify'), { recursive: true })
  cpSync(join(RECIPES, 'verify.go'), join(folder, 'verify/verify.go'))
  cpSync(join(DRIVERS, 'driver.go'), join(folder, 'driver.go'))
  writeFileSync(join(folder, 'go.mod'), 'module recipes\n\ngo 1.21\n')
  await compile(folder, [needProgram('go'), 'build', '-o', 'driver', '.'], { GOTOOLCHAIN: 'local' })
  return (env) => startDriver([join(folder, 'driver')], env)
}

async function buildJava(): Promise<(env?: Environment) => Client> {
  const folder = join(BUILD, 'java')
  mkdirSync(folder, { recursive: true })
  const jars = join(dirname(needProgram('jackson')), '*')
  const sources = [join(RECIPES, 'Verify.java'), join(DRIVERS, 'Driver.java')]
  await compile(folder, [
    needProgram('javac'),
    '-Werror',
    '-Xlint:all,-classfile,-path,-processing',
    '-cp',
    jars,
    '-d',
    folder,
    ...sources,
  ])
  // Java reads its proxies from properties, and from no environment.
  const proxy = ({ http_proxy }: Environment): string[] => {
    if (http_proxy === undefined) return []
    const { hostname, port } = new URL(http_proxy)
    return [`-Dhttp.proxyHost=${hostname}`, `-Dhttp.proxyPort=${port}`]
  }
  return (env = {}) =>
    startDriver([needProgram('java'), ...proxy(env), '-cp', `${folder}:${jars}`, 'Driver'], env)
}

async function buildRust(): Promise<(env?: Environment) => Client> {
  const folder = join(BUILD, 'rust')
  const command: Command = [
    needProgram('cargo'),
    'build',
    '--locked',
    '--quiet',
    '--target-dir',
    folder,
  ]
  await compile(join(DRIVERS, 'rust'), command)
  return (env) => startDriver([join(folder, 'debug/recipe')], env)
}

const compiled = (
  name: string,
  program: 'cargo' | 'go' | 'javac',
  client: Language['client'],
): Language => ({
  name,
  lacks: findProgram(program) === undefined ? program : undefined,
  client,
})

const driver = (file: string): string => join(DRIVERS, file)

export const LANGUAGES: readonly Language[] = [
  { name: 'POSIX shell', client: () => Promise.resolve(shell) },
  interpreted('PHP', () => [needProgram('php'), driver('driver.php')]),
  interpreted('Python', () => [needProgram('python'), '-I', '-B', driver('driver.py')]),
  interpreted('Ruby', () => [needProgram('ruby'), driver('driver.rb')]),
  {
    ...interpreted('Elixir', () => [needProgram('elixir'), driver('driver.exs')]),
    repeatsBusy: true,
  },
  compiled('Go', 'go', buildGo),
  compiled('Java', 'javac', buildJava),
  compiled('Rust', 'cargo', buildRust),
]
