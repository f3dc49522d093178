/** The recipes of `examples/verify`: one table of cases for every language. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
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
import { LANGUAGES, type Language } from './languages.ts'
import { ROOT } from './projects.ts'

const RECIPES = join(ROOT, 'examples/verify')
/** Milliseconds: at most three seconds, and what a busy machine adds. */
const LONGEST = 10_000
/** Cases at a time, for each language: some wait for a time-out. */
const AT_ONCE = 2

ensurePrograms(['curl', 'elixir', 'jackson', 'jq', 'openssl', 'php', 'python', 'ruby'])
const service = await realService()
/** Those whose toolchain is installed. */
const HERE = LANGUAGES.filter(({ lacks }) => lacks === undefined)

test.each(readdirSync(RECIPES).filter((file) => file !== 'README.md'))(
  '%s has at most 120 lines of at most 100 characters',
  (file) => {
    const lines = readFileSync(join(RECIPES, file), 'utf8').trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(120)
    expect(lines.filter((line) => line.length > 100)).toEqual([])
  },
)

test('without the curl extension PHP refuses and logs the reason', () => {
  const code = `require '${join(RECIPES, 'verify.php')}'; echo verify('x', 'http://x', 'x', 'x', ['x']);`
  const { stdout, stderr } = spawnSync(needProgram('php'), ['-n', '-r', code], { encoding: 'utf8' })
  expect([stdout, stderr]).toEqual(['options', expect.stringContaining('the curl extension')])
})

interface Trial {
  readonly start: (env?: Record<string, string>) => Client
  readonly outcomes: ReadonlyMap<ScriptedCase, ReturnType<typeof timed>>
}

/** Returns a case as a language may meet it: one whose client repeats a busy answer has no verdict at the time-out. */
function allowed(row: ScriptedCase, { repeatsBusy }: Language): ScriptedCase {
  const isBusy = row.says?.status === 503 && row.says.headers?.['retry-after'] !== undefined
  if (!isBusy || repeatsBusy !== true) return row
  // Three seconds, and a request in each.
  return { ...row, then: [...verdicts(row), 'transport'], asked: [1, 4] }
}

async function timed(row: ScriptedCase, client: Client) {
  const started = performance.now()
  const outcome = await tryScripted(row, client)
  return { ...outcome, ms: performance.now() - started }
}

/** Begins all cases of a language at once; a test waits for its case. */
async function tryAll({ client }: Language): Promise<Trial> {
  const start = await client()
  const outcomes = new Map<ScriptedCase, ReturnType<typeof timed>>()
  for (let lane = 0; lane < AT_ONCE; lane++) {
    const call = start()
    // The first call waits for the process to start, and on a busy machine is over time: it is no case.
    let free: Promise<unknown> = tryScripted(TABLE.scripted[0]!, call)
    for (const row of TABLE.scripted.filter((_, at) => at % AT_ONCE === lane)) {
      const trial = free.then(() => timed(row, call))
      outcomes.set(row, trial)
      free = trial.catch(() => {})
    }
  }
  return { start, outcomes }
}

const trials = new Map<Language, Trial>()
// Opened before the first test, the drivers live until the last.
beforeAll(async () => {
  await Promise.all(HERE.map(async (language) => trials.set(language, await tryAll(language))))
}, 300_000)

describe.each(HERE)('$name', (language) => {
  suite(language)
})

test('names the languages whose toolchain is not installed', () => {
  for (const { name, lacks } of LANGUAGES.filter((each) => !HERE.includes(each)))
    process.stderr.write(`${name} is not run: ${lacks} is not installed\n`)
  expect(HERE.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['POSIX shell', 'PHP', 'Python', 'Ruby', 'Elixir']),
  )
})

function suite(language: Language): void {
  const trial = () => trials.get(language)!
  let client: Client
  beforeAll(() => {
    client = trial().start()
  })

  test.each(TABLE.scripted)(
    '$then: $when',
    async (row) => {
      const { verdict, asked, ms } = await trial().outcomes.get(row)!
      const meant = allowed(row, language)
      expect(verdicts(meant)).toContain(verdict)
      expect(ms).toBeLessThan(LONGEST)
      expectRequests(meant, asked)
    },
    300_000,
  )

  test.each(TABLE.service)('against the service: $then: $when', async (row) => {
    expect(verdicts(row)).toContain(await service.tryCase(row, client))
  })

  test('reaches the service through a proxy', async () => {
    const proxy = await companyProxy(service.base)
    const call = {
      url: 'http://verify.invalid',
      secret: SECRET,
      action: 'sign-up',
      hostnames: ['shop.example.com'],
    }
    const response = await service.tokenOf({ action: 'sign-up' })
    const throughProxy = trial().start(proxy)
    expect(await throughProxy({ ...call, response })).toBe('accepted')
  })
}

// The libraries of these come from other registries: only the compilers look at them.
test.each([
  ['pass.py', () => [needProgram('python'), '-m', 'py_compile', join(RECIPES, 'pass.py')]],
  ['pass.php', () => [needProgram('php'), '-l', join(RECIPES, 'pass.php')]],
] as const)('%s compiles', (_name, command) => {
  const [program, ...args] = command() as [string, ...string[]]
  const env = { PATH: process.env['PATH'], PYTHONPYCACHEPREFIX: tmpdir() }
  expect(() => execFileSync(program, args, { env, stdio: 'pipe' })).not.toThrow()
})
