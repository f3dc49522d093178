/** The handlers of `examples/verify/`, made ready to run: found or installed; TypeScript is compiled. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformFileSync } from '@swc/core'
import { ensurePrograms, needProgram, type ProgramName } from '../../support/programs.mjs'
import type { Call, Client } from '../../whole/client/cases.ts'

const ROOT = join(import.meta.dirname, '../../..')
const HANDLERS = join(ROOT, 'examples/verify')
/** Inside the checkout, so that the TypeScript handler finds the package by its name. */
const BUILT = join(ROOT, 'build/examples-verify')

/** What the programs of a language do: ask about a token, or make a pass. */
type Task = 'verify' | 'pass'

export interface Language {
  readonly name: string
  readonly needs: readonly ProgramName[]
  /** Compiles, once. @returns the command. */
  readonly prepare: (task: Task) => readonly [string, ...string[]]
}

const source = (file: string): string => join(HANDLERS, file)

export const LANGUAGES: readonly Language[] = [
  { name: 'POSIX shell', needs: ['curl', 'jq', 'openssl'], prepare: (task) => ['/bin/sh', source(`${task}.sh`)] },
  { name: 'PHP', needs: ['php'], prepare: (task) => [needProgram('php'), source(`${task}.php`)] },
  { name: 'Python', needs: ['python'], prepare: (task) => [needProgram('python'), '-I', '-B', source(`${task}.py`)] },
  {
    name: 'TypeScript',
    needs: [],
    prepare(task) {
      const { code } = transformFileSync(source(`${task}.ts`), {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      })
      writeFileSync(join(BUILT, `${task}.mjs`), code)
      return [process.execPath, join(BUILT, `${task}.mjs`)]
    },
  },
]

/** Compiles a handler. @returns it as a client of the table: one process for each call. */
export function client(language: Language): Client {
  const [command, ...args] = commandOf(language, 'verify')
  return (call) => ask(command, args, call)
}

/** Compiles the program that makes passes. @returns it: what it prints and its exit code, by its environment. */
export function passMaker(language: Language): (env: Readonly<Record<string, string>>) => [string, number | null] {
  const [command, ...args] = commandOf(language, 'pass')
  return (env) => {
    const done = spawnSync(command, args, {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', ...env },
    })
    return [done.stdout.trim(), done.status]
  }
}

function commandOf({ needs, prepare }: Language, task: Task): readonly [string, ...string[]] {
  ensurePrograms(needs)
  mkdirSync(BUILT, { recursive: true })
  return prepare(task)
}

/** @throws {Error} when what it prints and its exit code do not agree, or it prints more than one word. */
export function ask(command: string, args: readonly string[], call: Call): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: environment(call), stdio: ['pipe', 'pipe', 'pipe'] })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    // A handler that refuses before it reads has closed its end: no concern of the table's.
    child.stdin.on('error', () => {})
    child.stdin.end(call.response ?? '')
    child.once('error', reject)
    child.once('close', (code) => {
      const verdict = out.trim()
      if (/^[a-z-]+$/.test(verdict) && code === (verdict === 'accepted' ? 0 : 1)) resolve(verdict)
      else reject(new Error(`exit ${code}, said "${out}" and "${err}"`))
    })
  })
}

/** The small protocol of examples/verify/README.md. */
function environment(call: Call): NodeJS.ProcessEnv {
  const all = {
    HV_URL: call.url,
    HV_SECRET: call.secret,
    HV_ACTION: call.action,
    HV_HOSTNAMES: call.hostnames.join(','),
    HV_THRESHOLD: call.threshold,
    HV_REMOTEIP: call.remoteip,
    HV_TIMEOUT: call.timeout,
  }
  const given = Object.entries(all).filter(([, value]) => value !== null && value !== undefined)
  return {
    PATH: process.env['PATH'],
    // A C locale without this makes some languages read a token as something else than UTF-8.
    LANG: 'C.UTF-8',
    ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  }
}
