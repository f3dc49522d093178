/** SECURITY.md names a test for each defence; each of them exists. */
import { expect, test } from '@jest/globals'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
/** `[two-instances](test/… "part of the test's name")` */
const LINK = /\[[\w-]+\]\((\S+) "([^"]+)"\)/g
const rows = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| T\d+ /.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('T1 to T52 each have a row', () => {
  expect(rows.map(([, id]) => id)).toEqual(Array.from({ length: 52 }, (_, i) => `T${i + 1}`))
})

test.each(rows.map(([, id = '', threat = '', , tests = '']) => [id, threat, tests]))(
  '%s, %s',
  (_id, _threat, tests) => {
    const named = [...tests.matchAll(LINK)].map(([, file = '', text = '']) => ({ file, text }))
    const missing = named.filter(({ file, text }) => {
      const path = join(root, file)
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(text)
    })
    expect(missing).toEqual([])
    // Every part of the cell was understood; what is not tested says so.
    const rest = tests.replaceAll(LINK, '').replaceAll(/[,\s]/g, '')
    expect(rest).toBe(named.length > 0 ? '' : 'nottested:notpromised')
  },
)
