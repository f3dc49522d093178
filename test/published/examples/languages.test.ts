/** The handlers of `examples/verify/`: one table of cases for every language, each call in its own process. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import {
  type Client,
  expectRequests,
  realService,
  type ScriptedCase,
  TABLE,
  tryScripted,
  verdicts,
} from '../../../packages/client/test/cases.ts'
import { SECRET } from '../../support/app.ts'
import { companyProxy } from '../../support/company-proxy.ts'
import { ensurePrograms, needProgram } from '../../support/programs.mjs'
import { ROOT } from './projects.ts'

const file = (name: string): string => join(ROOT, 'examples/verify', name)
const LANGUAGES: readonly {
  readonly name: string
  readonly command: () => readonly [string, ...string[]]
}[] = [
  { name: 'POSIX shell', command: () => ['/bin/sh', file('verify.sh')] },
  { name: 'PHP', command: () => [needProgram('php'), file('verify.php')] },
  { name: 'Python', command: () => [needProgram('python'), '-I', '-B', file('verify.py')] },
]
/** Milliseconds: at most three seconds, and the time that a process takes to start on a busy machine. */
const LONGEST = 10_000
/** Processes at a time, for each language: some cases wait for a time-out. */
const AT_ONCE = 2

/** Calls a handler by the protocol of examples/verify/README.md; rejects when its output and its exit code disagree. */
const client =
  (language: (typeof LANGUAGES)[number], more: NodeJS.ProcessEnv = {}): Client =>
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
      const given = Object.entries(settings).filter(
        ([, value]) => value !== null && value !== undefined,
      )
      // In a C locale without LANG, some languages read a token as something else than UTF-8.
      const env = {
        PATH: process.env['PATH'],
        LANG: 'C.UTF-8',
        ...Object.fromEntries(given),
        ...more,
      }
      const [command, ...args] = language.command()
      const child = execFile(
        command,
        args,
        { env: env as NodeJS.ProcessEnv },
        (error, out, err) => {
          const verdict = out.trim()
          const code = error ? error.code : 0
          if (/^[a-z-]+$/.test(verdict) && code === (verdict === 'accepted' ? 0 : 1))
            resolve(verdict)
          else reject(new Error(`exit ${code}, stdout "${out}", stderr "${err}"`))
        },
      )
      // A handler that refuses before it reads closes its standard input.
      child.stdin!.on('error', () => {})
      child.stdin!.end(call.response ?? '')
    })

ensurePrograms(['curl', 'jq', 'openssl', 'php', 'python'])
const service = await realService()

test('without the curl extension PHP refuses and logs the reason', () => {
  const { stdout, stderr, status } = spawnSync(needProgram('php'), ['-n', file('verify.php')], {
    encoding: 'utf8',
  })
  expect([stdout, stderr, status]).toEqual([
    'options\n',
    expect.stringContaining('the curl extension'),
    1,
  ])
})

async function timed(language: (typeof LANGUAGES)[number], row: ScriptedCase) {
  const started = performance.now()
  const outcome = await tryScripted(row, client(language))
  return { ...outcome, ms: performance.now() - started }
}

/** All languages begin at once; a test waits for its case. */
const tried = new Map(
  LANGUAGES.map(({ name }) => [name, new Map<ScriptedCase, ReturnType<typeof timed>>()]),
)
beforeAll(() => {
  for (const language of LANGUAGES) {
    const free: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve())
    for (const [at, row] of TABLE.scripted.entries()) {
      const trial = free[at % AT_ONCE]!.then(() => timed(language, row))
      tried.get(language.name)!.set(row, trial)
      free[at % AT_ONCE] = trial.catch(() => {})
    }
  }
})

describe.each(LANGUAGES)('$name', (language) => {
  test.each(TABLE.scripted)(
    '$then: $when',
    async (row) => {
      const { verdict, asked, ms } = await tried.get(language.name)!.get(row)!
      expect(verdicts(row)).toContain(verdict)
      expect(ms).toBeLessThan(LONGEST)
      expectRequests(row, asked)
    },
    300_000,
  )

  test.each(TABLE.service)('against the service: $then: $when', async (row) => {
    expect(verdicts(row)).toContain(await service.tryCase(row, client(language)))
  })

  test('reaches the service through the proxy of the environment', async () => {
    const proxy = await companyProxy(service.base)
    const call = {
      url: 'http://verify.invalid',
      secret: SECRET,
      action: 'sign-up',
      hostnames: ['shop.example.com'],
    }
    const response = await service.tokenOf({ action: 'sign-up' })
    expect(await client(language, proxy)({ ...call, response })).toBe('accepted')
  })
})

// The libraries of these come from other registries: only the compilers look at them.
test.each([
  ['pass.py', () => [needProgram('python'), '-m', 'py_compile', file('pass.py')]],
  ['pass.php', () => [needProgram('php'), '-l', file('pass.php')]],
] as const)('%s compiles', (_name, command) => {
  const [program, ...args] = command() as [string, ...string[]]
  const env = { PATH: process.env['PATH'], PYTHONPYCACHEPREFIX: tmpdir() }
  expect(() => execFileSync(program, args, { env, stdio: 'pipe' })).not.toThrow()
})
