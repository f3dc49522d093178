/** docs/operate/metrics.md names no metric that is not there. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const page = readFileSync(fileURLToPath(new URL('../../../docs/operate/metrics.md', import.meta.url)), 'utf8')
const rows = [...page.matchAll(/^\| `(hv_\w+)` \|/gm)].map(([, name]) => name!)

test('no other metric of ours is named anywhere on the page', () => {
  const known = new Set(rows)
  const named = [...page.matchAll(/\bhv_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([])
})
