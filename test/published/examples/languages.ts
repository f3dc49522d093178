/** The handlers of `examples/verify/`, made ready to run: found or installed; TypeScript is compiled. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformFileSync } from '@swc/core'
import { ensurePrograms, needProgram, type ProgramName } from '../../support/programs.mjs'
import type { Call, Client } from '../../../packages/client/test/cases.ts'

const ROOT = join(import.meta.dirname, '../../..')
const HANDLERS = join(ROOT, 'examples/verify')
/** Inside the checkout, so that the TypeScript handler finds the package by its name. */
const BUILT = join(ROOT, 'build/examples-verify')

export interface Language {
  readonly name: string
  readonly needs: readonly ProgramName[]
  /** Compiles, once. @returns the command. */
  readonly prepare: () => readonly [string, ...string[]]
}

const source = (file: string): string => join(HANDLERS, file)

export const LANGUAGES: readonly Language[] = [
  { name: 'POSIX shell', needs: ['curl', 'jq', 'openssl'], prepare: () => ['/bin/sh', source('verify.sh')] },
  { name: 'PHP', needs: ['php'], prepare: () => [needProgram('php'), source('verify.php')] },
  { name: 'Python', needs: ['python'], prepare: () => [needProgram('python'), '-I', '-B', source('verify.py')] },
  {
    name: 'TypeScript',
    needs: [],
    prepare() {
      const { code } = transformFileSync(source('verify.ts'), {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      })
      writeFileSync(join(BUILT, 'verify.mjs'), code)
      return [process.execPath, join(BUILT, 'verify.mjs')]
    },
  },
]

/** Compiles a handler. @returns it as a client of the table: one process for each call. */
export function client({ needs, prepare }: Language, more?: NodeJS.ProcessEnv): Client {
  ensurePrograms(needs)
  mkdirSync(BUILT, { recursive: true })
  const [command, ...args] = prepare()
  return (call) => ask(command, args, call, more)
}

/** @throws {Error} when what it prints and its exit code do not agree, or it prints more than one word. */
export function ask(
  command: string,
  args: readonly string[],
  call: Call,
  more: NodeJS.ProcessEnv = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...environment(call), ...more }, stdio: ['pipe', 'pipe', 'pipe'] })
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
