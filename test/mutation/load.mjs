/** Loads a test file with modules of its own: nothing that an earlier mutant left in a module is seen by the next. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'
import { jestExpect as expect } from '@jest/expect'
import { ModernFakeTimers } from '@jest/fake-timers'
import { transformSync } from '@swc/core'
import * as circus from 'jest-circus'

const preset = JSON.parse(readFileSync(new URL('../jest-preset.json', import.meta.url), 'utf8'))
const [[, compiler]] = Object.values(preset.transform)
const { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } = circus
const fakeTimers = new ModernFakeTimers({
  config: { fakeTimers: {}, rootDir: process.cwd(), testMatch: [] },
  global: globalThis,
})
/** Of Jest's own object the clock alone. */
const jest = {
  useFakeTimers: () => fakeTimers.useFakeTimers(),
  useRealTimers: () => fakeTimers.useRealTimers(),
  advanceTimersByTimeAsync: (ms) => fakeTimers.advanceTimersByTimeAsync(ms),
  setSystemTime: (now) => fakeTimers.setSystemTime(now),
  getTimerCount: () => fakeTimers.getTimerCount(),
}
/** What `@jest/globals` gives inside Jest. */
const globals = { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test }

/** Takes the clock back from a test that could not. */
export const useRealTimers = () => fakeTimers.useRealTimers()

/** The files of a sandbox never change. */
const sources = new Map()
function sourceOf(file) {
  const known = sources.get(file)
  if (known) return known
  const text = readFileSync(file, 'utf8')
  const code = file.endsWith('.ts')
    ? transformSync(text, { ...compiler, filename: file, sourceMaps: false, swcrc: false }).code
    : text
  sources.set(file, code)
  return code
}

/** Packages and Node's own modules are shared: no mutant is in them. */
const packages = new Map()
function packageModule(name) {
  if (!packages.has(name)) packages.set(name, wrap(name))
  return packages.get(name)
}
async function wrap(name) {
  const namespace = name === '@jest/globals' ? globals : await import(name)
  const names = Object.keys(namespace)
  return new vm.SyntheticModule(names, function setExports() {
    for (const each of names) this.setExport(each, namespace[each])
  })
}

/**
 * @param file absolute path of a test file.
 * @returns its tests, as jest-circus keeps them: the root block.
 */
export async function loadTests(file) {
  const modules = new Map()
  const moduleOf = (path) => {
    const known = modules.get(path)
    if (known) return known
    const made = new vm.SourceTextModule(sourceOf(path), {
      identifier: path,
      initializeImportMeta(meta) {
        meta.url = pathToFileURL(path).href
        meta.filename = path
        meta.dirname = dirname(path)
      },
      importModuleDynamically: async (name) => {
        const wanted = await link(name, made)
        if (wanted.status === 'unlinked') await wanted.link(link)
        await wanted.evaluate()
        return wanted
      },
    })
    modules.set(path, made)
    return made
  }
  const link = (name, { identifier }) =>
    name.startsWith('.') ? moduleOf(resolve(dirname(identifier), name)) : packageModule(name)

  circus.resetState()
  const entry = moduleOf(file)
  await entry.link(link)
  await entry.evaluate()
  return circus.getState().rootDescribeBlock
}
