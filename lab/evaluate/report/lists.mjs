import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** A list of lab/results/, or an empty one. */
export const readList = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

export const writeList = (file, list) => writeFileSync(file, `${JSON.stringify(list, undefined, 2)}\n`)

/**
 * Rows of a run in the place of the earlier ones of the same visitors.
 *
 * @template {{ name: string }} Row
 * @param {readonly Row[]} before
 * @param {readonly Row[]} rows
 * @param {(row: Row) => number} place what comes first
 * @returns {Row[]} by place, then by name
 */
export function inTheirPlace(before, rows, place) {
  const fresh = new Set(rows.map(({ name }) => name))
  const all = [...before.filter(({ name }) => !fresh.has(name)), ...rows]
  return all.sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1))
}
