/** SECURITY.md names a test for each threat; each of them exists. */
import { expect, test } from '@jest/globals'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
const lines = readFileSync(join(root, 'SECURITY.md'), 'utf8').split('\n')
const found = (pattern: RegExp): RegExpExecArray[] =>
  lines.map((line) => pattern.exec(line)).filter((match) => match !== null)
const threats = found(/^\| (T\d+) \| [^|]+ \| [^|]+ \|$/).map(([, id = '']) => id)
const proofs = found(/^- (T\d+): (.+)$/).map(([, id = '', tests = '']) => [id, tests] as const)

test('T1 to T52 each have a row, and a test', () => {
  const all = Array.from({ length: 52 }, (_, i) => `T${i + 1}`)
  expect(threats).toEqual(all)
  expect(proofs.map(([id]) => id)).toEqual(all)
})

test.each(proofs)('%s', (_id, tests) => {
  const named = [...tests.matchAll(/`([^`]+)` "([^"]+)"/g)].map(([, file = '', text = '']) => ({ file, text }))
  const missing = named.filter(({ file, text }) => {
    const path = join(root, file)
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(text)
  })
  expect(missing).toEqual([])
  // Every part of the line was understood; a threat without a test says so.
  const rest = tests.replaceAll(/`[^`]+` "[^"]+"/g, '').replaceAll(/[,\s]/g, '')
  expect(rest).toBe(named.length > 0 ? '' : 'nottested:notpromised')
})
