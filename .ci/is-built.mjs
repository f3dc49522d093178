import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What the build reads. */
const SOURCES = ['src', 'widget', 'dashboard', 'docs/make', 'packages/client', 'packages/gate']
const FILES = ['package.json', 'package-lock.json', 'tsconfig.base.json']
/** What its last step writes. */
const LAST = 'dist/dashboard/index.html'
/** Folders beside the sources that the build, or npm, writes. */
const WRITTEN = new Set(['dist', 'node_modules'])

/**
 * Reports whether nothing that the build reads has changed since it ended.
 *
 * @param {string} root
 * @returns {boolean}
 */
export function isBuilt(root) {
  const built = statSync(join(root, LAST), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return [...SOURCES, ...FILES].every((path) => newestIn(join(root, path)) < built)
}

/**
 * Returns the time of the last change, in milliseconds; Infinity where there is nothing. A folder changes when a file in it is added, removed or renamed.
 *
 * @param {string} path
 * @returns {number}
 */
function newestIn(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return Infinity
  const names = found.isDirectory() ? readdirSync(path).filter((name) => !WRITTEN.has(name)) : []
  return Math.max(found.mtimeMs, ...names.map((name) => newestIn(join(path, name))))
}
