/** Generated parts of a page by the names of their marks; one that is made from what the page has there is a function. */
export type Parts = Readonly<Record<string, string | ((written: string) => string)>>

/** A table of Markdown. @throws {Error} for one without rows: whatever it was made from has changed its shape. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) throw new Error(`a table has no rows: ${head.join(', ')}`)
  return [
    `| ${head.join(' | ')} |`,
    `|${'---|'.repeat(head.length)}`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n')
}
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/**
 * Returns the other cells of the row that begins with `first`, as the page has them.
 *
 * @param written the table in the page
 * @throws {Error} for a table without that row
 */
export function writtenCells(written: string, first: string): readonly string[] {
  const row = written.split('\n').find((line) => line.startsWith(`| ${first} |`))
  if (row === undefined)
    throw new Error(`write a row with ${first}, its words, and "–" for the facts`)
  return row.slice(2, -2).split(' | ').slice(1)
}

/**
 * Makes links of cited pages: `docs/api/api.md`, `docs/design/risk.md#flat-press`.
 *
 * @param folder of the page that cites, inside `docs/`.
 */
export const linkCitations = (text: string, folder: string): string =>
  text.replaceAll(
    /docs\/([\w-]+)\/([\w-]+)\.md(?:#([\w-]+))?/g,
    (_all, of: string, page: string, anchor?: string) => {
      const path = of === folder ? `${page}.md` : `../${of}/${page}.md`
      return anchor === undefined
        ? `[${page}.md](${path})`
        : `[${page}: ${anchor}](${path}#${anchor})`
    },
  )
