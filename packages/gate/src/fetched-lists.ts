/** Ranges that operators publish, as `hv-gate lists fetch` leaves them beside the configuration. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Guest, GUESTS } from './guest-lists.ts'
import { parseRange, type Range } from './ranges.ts'
import { SettingsError } from './problems.ts'

/** The ranges of each guest, by its name, and the day on which they were fetched. */
export type Fetched = Readonly<
  Record<string, { readonly date: string; readonly ranges: readonly string[] }>
>

const FILE = 'hv-gate-lists.json'
/** @param file of the configuration. */
export const fetchedFileOf = (file: string): string => resolve(dirname(file), FILE)

/** Reads what was fetched: nothing, where there is no file. @throws {SettingsError} for a file that this program did not write. */
export function readFetched(file: string): Fetched {
  if (!existsSync(file)) return {}
  const fetched = parse(readFileSync(file, 'utf8'))
  if (!isFetched(fetched))
    throw new SettingsError(`${file}: run hv-gate lists fetch again, or delete it`)
  return fetched
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const isFetched = (value: unknown): value is Fetched =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value as Record<string, { date?: unknown; ranges?: unknown } | null>).every(
    (entry) =>
      !Number.isNaN(Date.parse(String(entry?.date))) &&
      Array.isArray(entry?.ranges) &&
      entry.ranges.every((range) => typeof range === 'string' && isNarrow(parseRange(range))),
  )

/** Reports whether an operator can have a range. A list with half of the internet in it is wrong, and would let every visitor in. */
const isNarrow = (range: Range | undefined): boolean =>
  range !== undefined && range[1] >= (range[0].kind() === 'ipv4' ? 8 : 16)

/** Bytes of an answer. */
const MOST_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 20_000

type Get = (url: string) => Promise<string>
const overHttps: Get = async (url) => {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const res = await fetch(url, { redirect: 'error', signal })
  if (!res.ok) throw new Error(`status ${res.status}`)
  const text = await res.text()
  if (text.length > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`)
  return text
}

/** Says what became of one guest. */
export type Result = { readonly name: string; readonly says: string; readonly isGood: boolean }

/** Fetches every list that has a published address. What cannot be fetched stays as it is. */
export async function fetchLists(
  file: string,
  now = new Date(),
  get: Get = overHttps,
): Promise<readonly Result[]> {
  const fetched: Record<string, Fetched[string]> = { ...readFetched(file) }
  const date = now.toISOString().slice(0, 10)
  const results: Result[] = []
  for (const { name, published } of GUESTS) {
    if (!published) continue
    try {
      const ranges = rangesIn(await get(published.url), published)
      fetched[name] = { date, ranges }
      results.push({ name, says: `${ranges.length} ranges`, isGood: true })
    } catch (error) {
      const says = `${published.url}: ${(error as Error).message}; its ranges stay as they were`
      results.push({ name, says, isGood: false })
    }
  }
  writeFileSync(`${file}.new`, `${JSON.stringify(fetched, undefined, 1)}\n`)
  renameSync(`${file}.new`, file)
  return results
}

/**
 * Returns the ranges of an answer: lines, or all texts of a JSON, or of one of its members.
 *
 * @throws {Error} where it has none, or one that is too wide to be true.
 */
export function rangesIn(answer: string, { member }: NonNullable<Guest['published']>): string[] {
  const json = parse(answer)
  const texts =
    json === undefined
      ? answer.split('\n').map((line) => line.replace(/[#;].*/s, '').trim())
      : textsIn(member === undefined ? json : (json as Record<string, unknown>)[member])
  const ranges = texts.filter((text) => /^[0-9a-f.:]+(\/\d+)?$/i.test(text) && parseRange(text))
  const wide = ranges.find((text) => !isNarrow(parseRange(text)))
  if (wide !== undefined) throw new Error(`${wide} is too wide`)
  if (ranges.length === 0) throw new Error('has no ranges')
  return [...new Set(ranges)]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
