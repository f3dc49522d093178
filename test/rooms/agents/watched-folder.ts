import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach } from '@jest/globals'
import { type FileWatcher, watchFiles } from '../../../src/settings/watch.ts'
import { newFolder } from '../../support/close-later.ts'
import { keepLog } from '../../support/ledger-contract.ts'

/** A folder for each test, whose files are watched when the test looks. */
export function watchedFolder() {
  const log = keepLog()
  let folder = ''
  let watcher: FileWatcher | undefined
  beforeEach(() => {
    folder = newFolder()
  })
  afterEach(() => watcher?.stop())
  /** As often as a change needs to be seen standing still. */
  async function looks(times = 2) {
    for (let i = 0; i < times; i++) await watcher!.look()
  }
  return {
    log,
    looks,
    path: (name: string) => join(folder, name),
    write: (name: string, content: string | Buffer): string => {
      writeFileSync(join(folder, 'new'), content)
      renameSync(join(folder, 'new'), join(folder, name))
      return join(folder, name)
    },
    watch: async (files: Parameters<typeof watchFiles>[0]): Promise<void> => {
      watcher?.stop()
      watcher = await watchFiles(files, log, 1_000_000)
      // What was written in the moment before the reading counts as a change.
      await looks()
      log.lines.length = 0
    },
  }
}
