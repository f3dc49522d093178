import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../deploy/root.ts'

interface Beside {
  readonly micros: number
  readonly perSecond: number
  readonly p99: number
}
interface Siteverify {
  readonly microsPerRequest: number
  readonly requestsPerSecond: number
  readonly toReference: Beside
  readonly toUsual: Beside
}

/** What the benches found; each found some of it. */
export interface Found {
  readonly 64: Siteverify
  readonly toCap: Beside
  readonly toAltcha: Beside
  readonly toReference: Beside
  readonly microsPerRequest: number
  readonly bytesPerVerification: number
  readonly rssMiBAfter: number
  readonly requests: number
  readonly sites: number
  readonly entries: number
}

/** What a bench found; undefined: it was not run to its end yet. */
export function figures(bench: string): Found | undefined {
  const file = join(ROOT, `bench/results/${bench}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Found) : undefined
}

export const many = (count: number): string => count.toLocaleString('en')

/** A page, and how it would be with what is measured between its marks. */
interface Quoting {
  readonly page: string
  readonly written: string
}

/**
 * What a page says between its marks, beside what it has to say; `npm run docs:pages` writes it there.
 *
 * @throws Error for a page without marks.
 */
export function quoting(name: string, says: string): Quoting {
  const file = join(ROOT, name)
  const written = readFileSync(file, 'utf8').replace(
    /(npm run docs:pages writes it -->\n)[^]*?(\n<!-- end -->)/,
    (_all, before: string, after: string) => before + says + after,
  )
  if (!written.includes(says)) throw new Error(`${name} has no place for what is measured`)
  if (process.env['DOCS_WRITE'] === '1') writeFileSync(file, written)
  return { page: readFileSync(file, 'utf8'), written }
}
