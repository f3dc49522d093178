import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { newFolder } from '../../support/close-later.ts'
import { ROOT } from '../../support/root.ts'

// The first `npx hv` in a clone runs it silently: a second build takes a minute on a busy machine, and Ctrl-C spoils npm's cache.
test('a clone is built again only where a source is newer than the part that is built last', () => {
  const clone = newFolder()
  const at = (path: string): string => join(clone, path)
  const folders = ['src', 'widget', 'dashboard', 'packages/client/dist', 'dist/dashboard']
  for (const each of [...folders, 'node_modules/typescript', 'node_modules/rollup'])
    mkdirSync(at(each), { recursive: true })
  copyFileSync(join(ROOT, 'src/prepare.cjs'), at('src/prepare.cjs'))
  writeFileSync(at('package.json'), JSON.stringify({ scripts: { build: 'touch built' } }))
  const builds = (): boolean => {
    rmSync(at('built'), { force: true })
    execFileSync(process.execPath, [at('src/prepare.cjs')])
    return existsSync(at('built'))
  }
  const last = at('dist/dashboard/index.html')
  expect(builds()).toBe(true)
  writeFileSync(last, '')
  utimesSync(last, new Date(), new Date(Date.now() + 1000))
  expect(builds()).toBe(false)
  writeFileSync(at('packages/client/dist/index.js'), '')
  utimesSync(at('packages/client/dist/index.js'), new Date(), new Date(Date.now() + 2000))
  expect(builds()).toBe(false)
  utimesSync(at('src/prepare.cjs'), new Date(), new Date(Date.now() + 2000))
  expect(builds()).toBe(true)
})
