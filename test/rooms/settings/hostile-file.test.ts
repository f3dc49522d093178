import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { check, linesOf, minimal, refusal } from './refusal.ts'

describe('whatever a file contains', () => {
  const many = (each: (i: number) => string, between = ', '): string =>
    Array.from({ length: 30_000 }, (_, i) => each(i)).join(between)
  const long = (text: string): string => text.repeat(150_000 / text.length)
  test.each([
    ['names', `${many((i) => `k${i}: 1`, '\n')}\n${minimal}`, 102],
    ['one name', `${many(() => 'k: 1', '\n')}\n${minimal}`, 102],
    ['anchors', `${many((i) => `k${i}: &n${i} 1`, '\n')}\n${minimal}`, 102],
    ['aliases', `${minimal}ops_hosts: [&a x, ${many(() => '*a')}]`, 2],
    ['tags', `${many((i) => `k${i}: !x 1`, '\n')}\n${minimal}`, 102],
    ['weights', `${minimal}score: {weights: {${many((i) => `r${i}: 1`)}}}`, 102],
    ['sites', `version: 1\nsites: [${many(() => '{}')}]`, 102],
    ['letters', minimal.replace('example.com', long('a')), 2],
    ['placeholders', `${minimal}keyring: "${long('${')}"`, 2],
    ['braces', `${minimal}keyring: k\nredis: {url: "${long('{{')}"}`, 2],
  ])(
    'with very many %s takes time in proportion, and says the first hundred',
    (_what, text, lines) => {
      const started = process.cpuUsage()
      expect(linesOf(() => check(text))).toHaveLength(lines)
      const { user, system } = process.cpuUsage(started)
      expect((user + system) / 1e6).toBeLessThan(4)
    },
  )

  test('too many sites are named as too many', () => {
    const [, first] = linesOf(() => check(`version: 1\nsites: [${'{}, '.repeat(10_000)}{}]`))
    expect(first).toBe(' 2:8 sites expected at most 10000 items, got 10001')
  })

  test.each(['['.repeat(500_000), '- '.repeat(250_000), `a: ${'{a: '.repeat(100_000)}`])(
    'nesting without end is a sentence (%#)',
    (text) => expect(refusal(() => check(text))).toContain('is nested too deeply'),
  )

  const everything = readFileSync('test/rooms/settings/good/many-settings.yaml', 'utf8')
  const noise = (maxLength: number) =>
    fc.string({
      unit: fc.constantFrom(...'\n\n  -:[]{}*&!|>%@`"\'#?,a1.~<\t\r'.split('')),
      maxLength,
    })
  const key = fc.constantFrom(
    'version',
    'sites',
    'redis',
    'limits',
    'sitekey',
    'secrets',
    'work',
    '__proto__',
  )
  const structured = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    noise(300),
    // A working file with one piece of it replaced by noise.
    fc
      .tuple(fc.constantFrom(minimal, everything), fc.nat(), fc.nat(20), noise(8))
      .map(
        ([file, n, cut, text]) =>
          file.slice(0, n % file.length) + text + file.slice((n % file.length) + cut),
      ),
    fc.object({ key }).map((value) => JSON.stringify({ version: 1, sites: [value], ...value })),
  )

  test('arbitrary text loads or is refused, and is never anything else', () => {
    fc.assert(
      fc.property(structured, (text) => {
        const report = refusal(() => check(text))
        expect(report === 'loaded' || / errors?, nothing was started\n {2}/.test(report)).toBe(true)
      }),
      { numRuns: 1500, examples: [['&[*']] },
    )
  })
})
