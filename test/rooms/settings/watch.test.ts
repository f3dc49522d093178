import {
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { configFiles } from '../../../src/settings/reload.ts'
import { type FileWatcher, watchFiles } from '../../../src/settings/watch.ts'
import { newFolder } from '../../support/close-later.ts'
import { keepLog } from '../../support/ledger-contract.ts'

let folder = ''
let watcher: FileWatcher
let changes = 0
let isBroken = false
const log = keepLog()
const NEVER = 3_600_000
const watch = async (readAt = Date.now() + 60_000): Promise<void> => {
  const config = { file: join(folder, 'config.yaml'), folder }
  const changed = (): void => {
    changes++
    if (isBroken) throw new TypeError('a defect')
  }
  watcher = await watchFiles([{ files: configFiles(config), changed, readAt }], log, NEVER)
}
beforeEach(() => {
  folder = newFolder()
  mkdirSync(join(folder, 'sites'))
  writeFileSync(join(folder, 'config.yaml'), 'version: 1\n')
  writeFileSync(join(folder, 'sites/a.yaml'), 'one')
  changes = 0
  isBroken = false
})
afterEach(() => watcher.stop())

test.each([
  ['a file is written', () => writeFileSync(join(folder, 'sites/a.yaml'), 'changed')],
  ['a file comes', () => writeFileSync(join(folder, 'sites/b.yaml'), 'b')],
  ['a file goes', () => rmSync(join(folder, 'sites/a.yaml'))],
  [
    'everything but the sites is written',
    () => writeFileSync(join(folder, 'config.yaml'), 'version: 1 # new\n'),
  ],
  [
    'the folder of the sites is swapped by a link, as Kubernetes does',
    () => {
      mkdirSync(join(folder, 'next'))
      writeFileSync(join(folder, 'next/a.yaml'), 'next')
      renameSync(join(folder, 'sites'), join(folder, 'last'))
      symlinkSync(join(folder, 'next'), join(folder, 'sites'))
    },
  ],
])('a change is noticed once it stands still: %s', async (_what, change) => {
  await watch()
  await watcher.look()
  change()
  await watcher.look()
  expect(changes).toBe(0)
  await watcher.look()
  expect(changes).toBe(1)
  await watcher.look()
  expect(changes).toBe(1)
})

test('a file that only a mount keeps, since it was replaced, is named once', async () => {
  // As such a mount does, an open descriptor keeps a file without a name.
  const path = join(folder, 'config.yaml')
  const mounted = `/proc/self/fd/${openSync(path, 'r')}`
  watcher = await watchFiles([{ files: () => [mounted], changed: () => {}, readAt: 0 }], log, NEVER)
  await watcher.look()
  expect(log.lines).toEqual([])
  rmSync(path)
  for (let i = 0; i < 3; i++) await watcher.look()
  const [line, ...others] = log.lines.splice(0)
  expect([line, others]).toEqual([expect.stringContaining('mounted alone was replaced'), []])
  expect(line).toContain(mounted)
})

test('ten thousand files are looked at again after thirty intervals at the latest', async () => {
  const files = Array.from({ length: 10_000 }, (_, i) => join(folder, `sites/none-${i}.yaml`))
  let polls = 0
  const listed = () => {
    polls++
    return files
  }
  watcher = await watchFiles([{ files: listed, changed: () => {}, readAt: Date.now() }], log, NEVER)
  for (let interval = 0; interval < 32; interval++) await watcher.look()
  expect(polls).toBe(3)
})

test('a file that is still being written is not taken', async () => {
  await watch()
  for (const text of ['a', 'ab', 'abc']) {
    writeFileSync(join(folder, 'sites/a.yaml'), text)
    await watcher.look()
  }
  expect(changes).toBe(0)
  await watcher.look()
  expect(changes).toBe(1)
})

test('a change between the reading and the watching counts, be it renamed with an old date', async () => {
  const readAt = Date.now()
  writeFileSync(join(folder, 'sites/.new'), 'moved here')
  utimesSync(join(folder, 'sites/.new'), 1, 1)
  renameSync(join(folder, 'sites/.new'), join(folder, 'sites/a.yaml'))
  await watch(readAt)
  await watcher.look()
  expect(changes).toBe(1)
})

test('an error of a listener is logged, and the next change is reported', async () => {
  await watch()
  isBroken = true
  for (const text of ['second', 'third']) {
    writeFileSync(join(folder, 'sites/a.yaml'), text)
    await watcher.look()
    await watcher.look()
  }
  expect(changes).toBe(2)
  expect(log.lines).toEqual(
    Array.from({ length: 2 }, () => expect.stringContaining('internal error')),
  )
})
