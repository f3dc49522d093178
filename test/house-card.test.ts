/**
 * The card: the packages that this project is built on. Each does its main job, on the path of the four operations, and nothing
 * else in `src` does that job.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ROOT } from './support/root.ts'

interface Job {
  /** Where the main job is. */
  readonly file: string
  /** What does it there. */
  readonly does: RegExp
  /** What would do the same job without the package, and the files that may, with their reason. */
  readonly forbidden: readonly (readonly [
    pattern: RegExp,
    allowed: Readonly<Record<string, string>>,
  ])[]
}

const SERVICE: Readonly<Record<string, Job>> = {
  express: {
    file: 'src/http/application.ts',
    does: /= express\(\)/,
    forbidden: [
      [/\bRouter\s*\(/, {}],
      [
        /\bexpress\(\)/,
        {
          'src/http/application.ts': 'the application',
          'src/http/any-version.ts': 'the same one for HTTP/2',
          'src/demo/site.ts': 'the application of a customer',
        },
      ],
      [/\bcreateServer\(/, { 'src/http/listen.ts': 'the listener' }],
      [
        /\.writeHead\(/,
        {
          'src/http/overload.ts': 'refuses before Express has the request',
          'src/http/faults.ts': 'Express cannot read the path of the request',
        },
      ],
    ],
  },
  helmet: {
    file: 'src/http/application.ts',
    does: /\bhelmet\(/,
    forbidden: [
      [
        /['"](?:Content-Security-Policy|X-Frame-Options|X-Content-Type-Options|Referrer-Policy)['"]/i,
        {
          'src/http/assets.ts': 'the policy of a page, by the hash of its script',
          'src/demo/site.ts': 'the application of a customer',
        },
      ],
    ],
  },
  jose: {
    file: 'src/tokens/jws.ts',
    does: /\bnew SignJWT\([^]*\bjwtVerify\(/,
    forbidden: [
      [/\bcreateHmac\(/, { 'src/tokens/jwt-tokens.ts': 'marks of addresses, which are no tokens' }],
      [/\b(?:SignJWT|CompactSign|FlattenedSign|GeneralSign)\(/, { 'src/tokens/jws.ts': 'the one' }],
      [/\bcreate(?:Sign|Verify)\(/, {}],
    ],
  },
  ioredis: {
    file: 'src/store/redis/redis-client.ts',
    does: /\bnew Redis\(/,
    forbidden: [
      [/\bcreateConnection\(|\bnew Socket\(/, {}],
      [
        /\bnew (?:Redis|Cluster)\(/,
        { 'src/store/redis/redis-client.ts': 'the one place that connects' },
      ],
      [/\.stream\b/, {}],
    ],
  },
  'rate-limiter-flexible': {
    file: 'src/store/limits/windows.ts',
    does: /\bnew RateLimiterRedis\([^]*\bnew RateLimiterMemory\(/,
    forbidden: [
      [/\bnew RateLimiter\w+\(/, { 'src/store/limits/windows.ts': 'the one' }],
      [
        /from '[^']*\/gcra\.ts'/,
        {
          'src/store/limits/charges.ts': 'a visit: several keys at once, and once for a challenge',
        },
      ],
      [/\bincr(?:by)?\(/i, {}],
    ],
  },
  ajv: {
    file: 'src/schema/json-schema.ts',
    does: /\bnew Ajv\(/,
    forbidden: [[/\bnew Ajv\(/, { 'src/schema/json-schema.ts': 'the one' }]],
  },
  winston: {
    file: 'src/ops/log.ts',
    does: /\bwinston\.createLogger\(/,
    forbidden: [
      [/\bcreateLogger\(/, { 'src/ops/log.ts': 'the one' }],
      [/\bconsole\.|\bstd(?:out|err)\.write\(/, {}],
      [/JSON\.stringify\(\{[^}]*\blevel\b/, {}],
    ],
  },
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const below = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file))

/** Every file that runs when these do: what they import as a value, directly or not. */
function reachedFrom(...starts: string[]): ReadonlySet<string> {
  const reached = new Set(starts)
  for (const file of reached) {
    const imports = textOf(file).matchAll(
      /(?:^(?:import|export) (?!type )[^'"]*?from |import\()'(\.[^']+)'/gm,
    )
    for (const [, from] of imports) reached.add(relative(ROOT, join(ROOT, dirname(file), from!)))
  }
  return reached
}
const RUNNING = reachedFrom('src/serve.ts', 'src/create-service.ts')

/** Commands are programs of their own, which print. */
const LOOKED_AT = below('src').filter((file) => !/^src\/(?:cli\/|main\.ts)/.test(file))

describe.each(Object.entries(SERVICE))('%s', (name, { file, does, forbidden }) => {
  test('does its main job on the path of the operations', () => {
    expect(RUNNING).toContain(file)
    expect(textOf(file)).toMatch(new RegExp(`^import [^'"]* from '${name}'`, 'm'))
    expect(textOf(file)).toMatch(does)
  })

  test('is the only one that does it', () => {
    const others = forbidden.flatMap(([pattern, allowed]) =>
      LOOKED_AT.filter((each) => pattern.test(textOf(each)) && !(each in allowed)).map(
        (each) => `${each} has ${pattern}`,
      ),
    )
    expect(others).toEqual([])
  })

  test('has no exception that nothing needs', () => {
    const unused = forbidden.flatMap(([pattern, allowed]) =>
      Object.keys(allowed).filter((each) => !pattern.test(textOf(each))),
    )
    expect(unused).toEqual([])
  })
})

test('rollup builds the script of the widget', () => {
  expect(textOf('widget/build-script.js')).toMatch(/import \{ rollup \} from 'rollup'/)
  expect(textOf('widget/build.js')).toContain(`from './build-script.js'`)
})

describe('tests', () => {
  const TESTS = [...below('test'), ...below('packages/client/test'), ...below('packages/gate/test')]
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .map((file) => [file, textOf(file)] as const)

  test('are run by jest', () => {
    expect(textOf('test/run.mjs')).toContain('node_modules/jest/bin/jest.js')
    const others = TESTS.filter(([, text]) =>
      /from '(?:node:test|node:assert[^']*|vitest)'/.test(text),
    )
    expect(others.map(([file]) => file)).toEqual([])
  })

  test('ask the application in their own process by supertest', () => {
    expect(textOf('test/whole/contract/spec.test.ts')).toContain(`from 'supertest'`)
    // Its peers are addresses and processes, not an application.
    const others = TESTS.filter(
      ([file, text]) =>
        /^test\/(?:whole|rooms)\//.test(file) &&
        file !== 'test/whole/http/connections.test.ts' &&
        /(?<![.\w])fetch\(/.test(text),
    )
    expect(others.map(([file]) => file)).toEqual([])
  })
})
