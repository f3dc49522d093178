/** docs/metrics.md: its table is what the code counts, word for word. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { GAUGES } from '../../src/ops/exposition.ts'
import { FAMILIES } from '../../src/ops/families.ts'

const page = readFileSync(fileURLToPath(new URL('../../docs/metrics.md', import.meta.url)), 'utf8')
const rows = [...page.matchAll(/^\| `(hv_\w+)` \| (\w+) \| (.+?) \| (.+) \|$/gm)].map(([, name, type, labels, help]) => ({
  name,
  type,
  labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label),
  help,
}))

test('every metric has its row, with type, labels and meaning as in the code', () => {
  const counted = Object.values(FAMILIES).map(({ name, type, labels, help }) => ({ name, type, labels: [...labels], help }))
  expect(rows.filter(({ type }) => type !== 'gauge')).toEqual(counted)
  const gauges = rows.filter(({ type }) => type === 'gauge').map(({ name, help }) => [name, help])
  expect(gauges).toEqual(Object.entries(GAUGES))
})

test('no other metric of ours is named anywhere on the page', () => {
  const known = new Set(rows.map(({ name }) => name))
  const named = [...page.matchAll(/\bhv_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([])
})
