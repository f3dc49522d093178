/** Nothing outside this package is patched: no global, no class of Node.js or of a library, no private member of one. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { ROOT } from '../../support/root.ts'

test('globals, Node.js and libraries are the same before and after a visit', () => {
  const program = join(import.meta.dirname, 'globals.mjs')
  const out = execFileSync(process.execPath, [program], { encoding: 'utf8' })
  expect(JSON.parse(out)).toEqual({ visit: [200, 400, 400], changed: [] })
})

/** Names of members that begin with `_` and are read, written or set: `x._y`, `x['_y']`, `{ _y: … }`. */
function privateMembers(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(privateMembers)
  if (typeof node !== 'object' || node === null) return []
  const { type, property, key } = node as { type?: string; property?: Named; key?: Named }
  const named = type === 'MemberExpression' ? (property?.expression ?? property) : key
  const name = named?.value
  const own = typeof name === 'string' && /^_[A-Za-z]/.test(name) ? [name] : []
  return [...own, ...Object.values(node).flatMap(privateMembers)]
}
interface Named {
  readonly value?: unknown
  readonly expression?: Named
}

const sources = ['src', 'packages/client/src', 'packages/gate/src'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.c?ts$/.test(file) && !file.endsWith('.d.ts'))
    .map((file) => join(folder, file)),
)

test.each(sources)('%s uses no private member', (file) => {
  const program = parseSync(readFileSync(join(ROOT, file), 'utf8'), {
    syntax: 'typescript',
    target: 'es2022',
  })
  expect(privateMembers(program.body)).toEqual([])
})

test.each(['a._b = 1', "a['_b']()", 'Object.assign(a, { _b: 1 })', 'const { _b: c } = a'])(
  '%s is found',
  (text) => {
    expect(privateMembers(parseSync(text, { syntax: 'typescript' }).body)).toEqual(['_b'])
  },
)
