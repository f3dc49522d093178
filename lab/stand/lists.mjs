import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** A list of lab/results/, or an empty one. */
export const readList = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

/** Writes a list with each row on a line of its own, so that a change of one shows as one. */
export function writeList(file, list) {
  const lines = Object.entries(list).map(([name, value]) => {
    const rows = Array.isArray(value)
      ? `[\n${value.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]`
      : undefined
    return `  ${JSON.stringify(name)}: ${rows ?? JSON.stringify(value)}`
  })
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`)
}

/** Rows of a run in the place of the earlier ones of the same visitors. Sorted by place, then by name. */
export function inTheirPlace(before, rows, place) {
  const fresh = new Set(rows.map(({ name }) => name))
  const all = [...before.filter(({ name }) => !fresh.has(name)), ...rows]
  return all.sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1))
}

/** Writes texts into a page, each between its marks: `<!-- NAME: npm run COMMAND writes it -->` and `<!-- end -->`. */
export function writeParts(file, command, parts) {
  let page = readFileSync(file, 'utf8')
  for (const [name, text] of Object.entries(parts)) {
    const mark = `<!-- ${name}: npm run ${command} writes it -->\n`
    const [before, after] = page.split(mark)
    if (after === undefined) throw new Error(`${file} has no ${mark}`)
    page = `${before}${mark}\n${text.trim()}\n\n${after.slice(after.indexOf('<!-- end -->'))}`
  }
  writeFileSync(file, page)
}
