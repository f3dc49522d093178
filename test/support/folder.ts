import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from '@jest/globals'

/** Makes a folder, which is removed after the tests. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hv-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
