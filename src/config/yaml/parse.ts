import { readFileSync, statSync } from 'node:fs'
import { LineCounter, type ErrorCode, type Node, parseDocument, visit } from 'yaml'
import type { Path } from '../../schema/schema.ts'
import { ConfigError, type Problem } from '../config.ts'
import type { Finding } from '../finding.ts'
import { formatPath } from '../path.ts'
import { plain } from './values.ts'

const MAX_BYTES = 1024 * 1024

export interface Spot {
  /** Where the configuration is a folder: the file in it. */
  readonly file?: string
  readonly line: number
  readonly column: number
}

/** A configuration file, read but not judged. */
export interface Source {
  /** What it says, as plain values; undefined when nothing of it could be understood. */
  readonly value: unknown
  /** What YAML allows and we do not (aliases, tags, names that are there twice), by place. */
  readonly findings: readonly Finding[]
  /** What is not YAML. From the first one on, the rest of the file may be misunderstood. */
  readonly broken: readonly Problem[]
  /** How a problem names a place. @param from the place that the problem is at, when it names another one too. */
  name(path: Path, from?: Path): string
  /** Where a value (or its name) stands; of the nearest group around it when it is missing. */
  spot(finding: Finding): Spot
  /** Whether a finding is about a part that was understood: one that ended before the first thing that is not YAML. */
  believes(finding: Finding): boolean
}

/** @throws {ConfigError} when there is no text to read: no file, too large, not UTF-8. */
export function readText(file: string): string {
  const refuse = (says: string): ConfigError =>
    new ConfigError(file, [{ line: undefined, column: undefined, where: 'file', says }])
  try {
    const { size } = statSync(file)
    if (size > MAX_BYTES) throw refuse(`wants at most 1 MiB; got ${size} bytes`)
    const bytes = readFileSync(file)
    // Looked at again: a pipe has no size, and a file can grow in between.
    if (bytes.length > MAX_BYTES) throw refuse(`wants at most 1 MiB; got ${bytes.length} bytes`)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw refuse(FILE_ERRORS[code ?? ''] ?? `cannot be read: the system says ${code}`)
  }
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'cannot be read: there is no such file (config/config.example.yaml is one to start from)',
  EACCES: 'cannot be read: this user may not read it',
  EISDIR: 'cannot be read: it is a folder',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'wants UTF-8; got bytes that are not (saved in another encoding?)',
}

/** Reads YAML 1.2 with the core schema: dates stay text, `yes` stays text, nothing is merged or expanded. */
export function parseText(text: string): Source {
  const lineCounter = new LineCounter()
  const at = (offset: number): Spot => {
    const { line, col } = lineCounter.linePos(offset)
    // Before the first line was counted (an empty file) the counter answers 0.
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const problem = (offset: number, says: string): Problem => ({ ...at(offset), where: 'YAML', says })
  const nothing = { value: undefined, findings: [], believes: () => false, name: formatPath }

  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.exec(text)
  if (control) {
    const before = text.slice(0, control.index).split('\n')
    const spot = { line: before.length, column: before.at(-1)!.length + 1 }
    const broken = [{ ...spot, where: 'YAML', says: 'holds a control character' }]
    return { ...nothing, broken, spot: () => spot }
  }

  const deep = tooDeepAt(text)
  if (deep !== undefined) {
    const before = text.slice(0, deep).split('\n')
    const spot = { line: before.length, column: before.at(-1)!.length + 1 }
    return { ...nothing, broken: [{ ...spot, where: 'YAML', says: 'is nested too deeply' }], spot: () => spot }
  }

  let document
  try {
    document = parseDocument(text, {
      lineCounter,
      version: '1.2',
      schema: 'core',
      // In ours, one pass with a Set: the library compares each name with each, hours for a hostile 1 MiB.
      uniqueKeys: false,
      prettyErrors: false,
      // Not `silent`: that would also keep a second document to itself.
      logLevel: 'error',
    })
  } catch {
    return { ...nothing, broken: [problem(0, 'is nested too deeply')], spot: () => at(0) }
  }

  // The library's messages quote the file, and a file may hold a secret in the wrong place: our words instead.
  const all = document.errors.map(({ code, pos }) => [pos[0], SYNTAX[code] ?? 'is not YAML'] as const)
  const quote = document.errors
    .filter(({ code }) => code === 'MISSING_CHAR')
    .map(({ pos }) => openQuote(document.contents, pos[0]))
    .find((offset) => offset !== undefined)
  // All that comes after an open quote is inside it.
  const errors =
    quote === undefined
      ? all
      : [...all.filter(([offset]) => offset < quote), [quote, 'opens a quote that is never closed'] as const]
  const directive = /^%(?:YAML|TAG)/m.exec(text)
  if (directive) errors.unshift([directive.index, 'is a directive (%YAML, %TAG), which is not used here'])
  // One slip is often met twice at one place; the first meeting says most.
  const broken = [...new Map(errors.toReversed())].map(([offset, says]) => problem(offset, says))
  const firstError = Math.min(...errors.map(([offset]) => offset))

  const { value, findings, offsets } = plain(document.contents)
  const extent = ({ path: place, near, offset, atKey }: Finding): { readonly start: number; readonly end: number } => {
    if (offset !== undefined) return { start: offset, end: offset }
    const path = near ?? place
    for (let length = path.length; length >= 0; length--) {
      const entry = offsets.get(formatPath(path.slice(0, length)))
      if (entry) return { start: atKey === true && length === path.length ? entry.key : entry.value, end: entry.end }
    }
    return { start: 0, end: 0 }
  }
  return {
    value,
    findings,
    broken,
    name: formatPath,
    spot: (finding) => at(extent(finding).start),
    believes: (finding) => errors.length === 0 || text.slice(extent(finding).end, firstError).trim() !== '',
  }
}

/**
 * Where a quote was opened that reaches up to an error: far below, at the end of the file, nobody would look for it.
 *
 * @returns undefined when no quoted text ends there.
 */
function openQuote(contents: Node | null, end: number): number | undefined {
  let start: number | undefined
  visit(contents, {
    Scalar(_key, { type, range }) {
      if (type?.startsWith('QUOTE_') === true && range?.[1] === end) start = range[0]
    },
  })
  return start
}

/** Brackets that may be open at once, and columns that a nested value may begin at. Ours needs 4 and 12. */
const DEEPEST = 200

/**
 * Where a text opens more than it can mean to. Looked for before the library reads it: that recurses into nesting, and
 * V8 ends the whole process when the stack runs out while it compiles a regular expression (seen with 500,000 brackets).
 * Brackets in quotes and comments are counted too; nobody leaves two hundred of them open.
 */
function tooDeepAt(text: string): number | undefined {
  let open = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (c === '[' || c === '{') open++
    else if ((c === ']' || c === '}') && open > 0) open--
    if (open > DEEPEST) return i
  }
  // Nesting by indentation, or by dashes on one line: each level takes a column or more.
  const indented = /^[ ?:-]{200}/m.exec(text)
  return indented === null ? undefined : indented.index + DEEPEST
}

const SYNTAX: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_INDENT: 'is indented differently from its neighbours, or a bracket before it is not closed',
  TAB_AS_INDENT: 'is indented with a tab (YAML wants spaces)',
  MISSING_CHAR: 'wants a closing quote or bracket, a colon or a comma before this',
  BAD_DQ_ESCAPE: 'is a backslash escape that YAML does not know (single quotes take backslashes as they are)',
  BAD_SCALAR_START: 'starts with a character that wants quotes around the text',
  BLOCK_AS_IMPLICIT_KEY: 'is a name: value inside of a value (text with a colon wants quotes)',
  MULTILINE_IMPLICIT_KEY: 'is a name over several lines, or a line without its colon',
  MULTIPLE_DOCS: 'starts a second document (---); one file is one configuration',
  BAD_ALIAS: 'is an alias (*name) or a text with a star, which wants quotes: "*.example.com"',
  UNEXPECTED_TOKEN: 'does not belong here (text with : [ ] { } , # & * wants quotes)',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
}
