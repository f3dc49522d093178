import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { isBuilt } from '../../../.ci/is-built.mjs'
import { newFolder } from '../../support/close-later.ts'

const SOURCES = `
  src/a/b.ts widget/src/a.ts dashboard/a.js docs/make/a.ts packages/client/a.ts packages/gate/a.ts
  package.json package-lock.json tsconfig.base.json`
  .trim()
  .split(/\s+/)
const PAGE = 'dist/dashboard/index.html'

/** A built clone: every source is older than the build. */
function clone(): string {
  const root = newFolder()
  const put = (path: string, at: number): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
    for (let each = path; each !== '.'; each = dirname(each)) utimesSync(join(root, each), at, at)
  }
  for (const path of SOURCES) put(path, 1000)
  put('packages/gate/dist/main.js', 1500)
  utimesSync(join(root, 'packages/gate'), 1000, 1000)
  put(PAGE, 2000)
  return root
}

test('npm start does not build again what npm ci has built', () => {
  expect(isBuilt(clone())).toBe(true)
})

test.each(SOURCES)('npm start builds when %s has changed, or is gone', (path) => {
  const changed = clone()
  utimesSync(join(changed, path), 3000, 3000)
  expect(isBuilt(changed)).toBe(false)
  const gone = clone()
  rmSync(join(gone, path))
  expect(isBuilt(gone)).toBe(false)
})

test('npm start builds where nothing was built, or the build ended early', () => {
  const root = clone()
  rmSync(join(root, PAGE))
  expect(isBuilt(root)).toBe(false)
})
