/** The tests that are close to a change: those that import a changed file directly or through one other, and not for its types alone. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Imports between a changed file and a test, or a helper beside it, at most. The application imports everything: with more, each change would run all tests. */
const MOST = 1

const git = (root, ...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

/** @returns {string[]} test files below `folders`, relative to `root`, and changed tests themselves */
export function nearTests(root, folders) {
  const changed = new Set([
    ...git(root, 'diff', '--name-only', 'HEAD'),
    ...git(root, 'ls-files', '-o', '--exclude-standard'),
  ])
  const files = git(root, 'ls-files', '-co', '--exclude-standard').filter((file) =>
    /\.(ts|mjs|js)$/.test(file),
  )
  const importers = new Map()
  for (const file of new Set(files)) {
    // It may be deleted in the working tree.
    if (!existsSync(join(root, file))) continue
    const run = readFileSync(join(root, file), 'utf8').replaceAll(
      /^(?:import|export) type [^'=]* from '[^']*'/gm,
      '',
    )
    for (const [, from] of run.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const target = join(dirname(file), from)
      importers.set(target, [...(importers.get(target) ?? []), file])
    }
  }
  const near = new Set(changed)
  const importersOf = (imported) => imported.flatMap((file) => importers.get(file) ?? [])
  let edge = [...changed]
  for (let step = 0; step <= MOST; step++) {
    edge = importersOf(edge).filter((file) => !near.has(file))
    edge.push(...importersOf(edge.filter((file) => /^test\/(rooms|whole)\//.test(file))))
    for (const file of edge) near.add(file)
  }
  return [...near].filter(
    (file) => file.endsWith('.test.ts') && folders.some((folder) => file.startsWith(folder)),
  )
}
