import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach } from '@jest/globals'

const closings: (() => unknown)[] = []
const folders: string[] = []
/** How many closings are of things that were opened outside a test. */
let ofFile = 0

/**
 * Closes something after the test that opened it, the last one first, even if the test has closed it already. What is opened
 * outside a test is closed after the tests of the file.
 *
 * @returns what it is given.
 */
export function closeLater<T>(it: T, close: (it: T) => unknown): T {
  closings.push(() => close(it))
  return it
}

async function closeAllBut(count: number): Promise<void> {
  const failures: unknown[] = []
  for (const close of closings.splice(count).toReversed()) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
beforeEach(() => {
  ofFile = closings.length
})
afterEach(() => closeAllBut(ofFile))
afterAll(async () => {
  await closeAllBut(0)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Makes a folder, which is removed after the tests of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hv-'))
  folders.push(folder)
  return folder
}
