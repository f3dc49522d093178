import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { firedIn, firedRules, visitsByEngine } from '../../../docs/make/fired-rules.ts'
import { keep } from '../../../lab/evaluate/report/keep.mjs'
import { firedRow } from '../../../lab/evaluate/report/rules.mjs'
import { summarise } from '../../../lab/evaluate/report/statistics.mjs'

const facts = { date: '2026-11-23', commit: 'abc', hands: 'synthetic, seed 1', errors: 0 }
const machine = { machine: 'one core', browsers: { chromium: 'Chromium 156 built on x', firefox: 'Firefox 153' } }

const SCORED = { tokens: 1, forms: 1, seconds: 9, load: 2, model: 9 }

/** A visitor of a result whose one visit met these rules, in an engine of this number. */
function visitor(name: string, kind: 'person' | 'bot', engine: number, rules: Record<string, number>, more = {}) {
  const score = kind === 'person' ? 0.88 : 0.02
  const visit = {
    ...SCORED,
    score,
    passed: kind === 'person' ? 1 : 0,
    contributions: Object.entries(rules).map(([rule, value]) => ({ name: rule, value })),
    signals: { environment: { engine } },
  }
  return { ...summarise({ name, kind, what: `${name} by hand`, ...more }, [visit]), visits: [visit] }
}

test.each([
  { engine: 0, then: 'WebKit' },
  { engine: 1, then: 'Chromium' },
  { engine: 2, then: 'Firefox' },
  { engine: 3, then: 'WebKit' },
])('an engine that says $engine is $then; a visitor without a browser is none', ({ engine, then }) => {
  expect(firedRow(visitor('a', 'bot', engine, { x: -1 }), facts)).toMatchObject({ engine: then, fired: { x: 1 } })
  expect(firedRow(visitor('a', 'bot', engine, {}, { isBrowser: false }), facts)?.engine).toBe('no browser')
})

test('a visit without a score says nothing of rules', () => {
  expect(firedRow({ name: 'a', kind: 'bot', visits: [{ contributions: [] }] }, facts)).toBeUndefined()
})

test('visitors take the place of their rows; the page has agents apart, and why they score so', () => {
  const root = mkdtempSync(join(tmpdir(), 'hv-kept-'))
  for (const folder of ['lab/results', 'docs/design']) mkdirSync(join(root, folder), { recursive: true })
  const first = [visitor('mouse', 'person', 1, { good: 1.2 }), visitor('driver', 'bot', 1, { bad: -4, worse: -4.5 })]
  keep(root, { ...machine, ...facts, visitors: first })
  const agent = visitor('agent: one', 'bot', 0, { light: 0.3, bad: -4 }, { isAgent: true })
  keep(root, {
    ...machine,
    ...facts,
    commit: 'def',
    visitors: [visitor('driver', 'bot', 1, { bad: -4 }), agent],
  })

  const rows = firedRules(root)
  expect(rows.map(({ name, fired }) => [name, fired])).toEqual([
    ['mouse', { good: 1 }],
    ['agent: one', { light: 1, bad: 1 }],
    ['driver', { bad: 1 }],
  ])
  expect(visitsByEngine(rows)).toEqual([
    ['Chromium', '1', '1'],
    ['Firefox', '0', '0'],
    ['WebKit', '0', '1'],
    ['no browser', '0', '0'],
  ])
  expect(firedIn('bad', rows)).toBe('Fired: Chromium 0 + 1, WebKit 0 + 1.')
  expect(firedIn('worse', rows)).toBe('Fired: nowhere.')

  const page = readFileSync(join(root, 'docs/design/evaluation.md'), 'utf8')
  expect(page).toContain('1 with 1 visit each on 2026-11-23 at commit abc, hands of people synthetic, seed 1; 2 with')
  expect(page.split('\n## ').map((part) => part.split('\n')[0])).toEqual(
    expect.arrayContaining(['People', 'AI agents', 'Bots that can be told apart']),
  )
  expect(page).toContain('- **agent: one**: agent: one by hand. `bad` −4, `light` +0.3.')
  expect(page).toContain('| driver | bot, separable | 1 | 1 | 0.02 | 0.02–0.02 | 0 of 1 | 9.0 |  |')
})
