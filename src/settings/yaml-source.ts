import {
  type Alias,
  type ErrorCode,
  LineCounter,
  type Node,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  visit,
} from 'yaml'
import { type Finding, formatPath, type Path, type Problem } from './problem.ts'

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
  /** What YAML allows and we do not (merge keys, tags, repeated names), by place. */
  readonly findings: readonly Finding[]
  /** What is not YAML. From the first one on, the rest of the file may be misunderstood. */
  readonly broken: readonly Problem[]
  /** Returns how a problem names a place. @param from the place of the problem, when it names another one too. */
  name(path: Path, from?: Path): string
  /** Returns where a value (or its name) stands; the nearest group around it when it is missing. */
  spot(finding: Finding): Spot
  /** Reports whether a finding is about a part that was understood: one that ended before the first thing that is not YAML. */
  believes(finding: Finding): boolean
}

/** Nothing of the text could be understood. */
export const brokenSource = (broken: readonly Problem[], spot: Spot = { line: 1, column: 1 }): Source => ({
  value: undefined,
  findings: [],
  broken,
  name: formatPath,
  spot: () => spot,
  believes: () => false,
})

/** Reads YAML 1.2 with the core schema: dates stay text, `yes` stays text, nothing is merged. */
export function parseYaml(text: string): Source {
  const lineCounter = new LineCounter()
  const at = (offset: number): Spot => {
    const { line, col } = lineCounter.linePos(offset)
    // Before the first line was counted (an empty file) the counter answers 0.
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const unread = unreadable(text)
  if (unread) {
    const before = text.slice(0, unread.offset).split('\n')
    const spot = { line: before.length, column: before.at(-1)!.length + 1 }
    return brokenSource([{ ...spot, where: 'YAML', says: unread.says }], spot)
  }
  // `uniqueKeys` compares each name with each, hours for a hostile 1 MiB: plainValues does it with a set.
  // Not `silent`: that would also keep a second document to itself.
  const options = { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const
  const document = parseDocument(text, { lineCounter, ...options })

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
  const firstError = Math.min(...errors.map(([offset]) => offset))

  const { value, findings, offsets } = plainValues(document.contents)
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
    // One slip is often met twice at one place; the first meeting says most.
    broken: [...new Map(errors.toReversed())].map(([offset, says]) => ({ ...at(offset), where: 'YAML', says })),
    name: formatPath,
    spot: (finding) => at(extent(finding).start),
    believes: (finding) => errors.length === 0 || text.slice(extent(finding).end, firstError).trim() !== '',
  }
}

/** Brackets that may be open at once, and columns that a nested value may begin at. Ours needs 4 and 12. */
const DEEPEST = 200

/**
 * Finds what the library must not see. It recurses into nesting, and V8 ends the whole process when the stack runs out
 * while it compiles a regular expression (seen with 500,000 brackets). Brackets in quotes and comments count too.
 */
function unreadable(text: string): { readonly offset: number; readonly says: string } | undefined {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.exec(text)
  if (control) return { offset: control.index, says: 'holds a control character' }
  let open = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '[' || text[i] === '{') open++
    else if ((text[i] === ']' || text[i] === '}') && open > 0) open--
    if (open > DEEPEST) return { offset: i, says: 'is nested too deeply' }
  }
  // Nesting by indentation, or by dashes on one line: each level takes a column or more.
  const indented = /^[ ?:-]{200}/m.exec(text)
  return indented ? { offset: indented.index + DEEPEST, says: 'is nested too deeply' } : undefined
}

/** Finds where a quote was opened that reaches up to an error: far below, at the end of the file, nobody would look. */
function openQuote(contents: Node | null, end: number): number | undefined {
  let start: number | undefined
  visit(contents, {
    Scalar(_key, { type, range }) {
      if (type?.startsWith('QUOTE_') === true && range?.[1] === end) start = range[0]
    },
  })
  return start
}

const SYNTAX: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_INDENT: 'is indented differently from its neighbours, or a bracket before it is not closed',
  TAB_AS_INDENT: 'is indented with a tab (YAML takes spaces)',
  MISSING_CHAR: 'expected a closing quote or bracket, a colon or a comma before this',
  BAD_DQ_ESCAPE: 'is a backslash escape that YAML does not know (single quotes take backslashes as they are)',
  BAD_SCALAR_START: 'starts with a character that needs quotes around the text',
  BLOCK_AS_IMPLICIT_KEY: 'is a name: value inside a value (text with a colon needs quotes)',
  MULTILINE_IMPLICIT_KEY: 'is a name over several lines, or a line without its colon',
  MULTIPLE_DOCS: 'starts a second document (---); one file is one configuration',
  BAD_ALIAS: 'is an alias (*name) or a text with a star, which needs quotes: "*.example.com"',
  UNEXPECTED_TOKEN: 'does not belong here (text with : [ ] { } , # & * needs quotes)',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
}

/** No setting lies deeper than 6; more is a slip or an attack on the stack. */
const MAX_DEPTH = 16
/** Values that all aliases of a file together may stand for: ten for each of the 10,000 sites a file can have. */
const MAX_EXPANDED = 100_000

interface PlainValues {
  readonly value: unknown
  readonly findings: readonly Finding[]
  /** Characters from the start of the file, by formatted path. */
  readonly offsets: ReadonlyMap<string, { readonly key: number; readonly value: number; readonly end: number }>
}

/**
 * Turns parsed YAML into plain values, and refuses what would make a file mean something other than it says. An alias
 * stands for the value of its anchor, which has no alias inside, so that the value grows with the length of the file and
 * never with a power of it ("billion laughs").
 */
export function plainValues(root: unknown): PlainValues {
  const findings: Finding[] = []
  const offsets = new Map<string, { readonly key: number; readonly value: number; readonly end: number }>()
  const anchors = new Map<string, Node>()
  let expanded = 0

  /** @param alias the alias that stands for this value: problems point there. */
  function walk(node: unknown, path: Path, key: number, alias?: Node): unknown {
    const [value, end] = (alias ?? (node as Node | null))?.range ?? [key, key]
    offsets.set(formatPath(path), { key, value, end })
    if (path.length > MAX_DEPTH) return refuse(path, 'is nested too deeply')
    if (isAlias(node)) return expand(node, path, key, alias)
    if (alias && expanded++ >= MAX_EXPANDED) return null
    if (isScalar(node) || isMap(node) || isSeq(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
      if (node.tag !== undefined) refuse(path, 'has a YAML tag (!name): remove it, or quote the value', value)
    }
    if (isScalar(node)) return node.value
    if (isSeq(node)) return node.items.map((item, index) => walk(item, [...path, index], startOf(item, key), alias))
    if (!isMap(node)) return null
    const members: Record<string, unknown> = {}
    for (const pair of node.items) {
      const start = startOf(pair.key, key)
      const name = keyName(pair.key)
      const inner = name === undefined ? path : [...path, name]
      if (name === undefined) refuse(inner, 'has a name that is not text (a colon too many, or an alias?)', start)
      else if (name === '<<') refuse(inner, 'merges another group: write it out', start)
      else if (name === '__proto__') refuse(inner, 'is no name for a setting', start)
      else if (Object.hasOwn(members, name)) refuse(inner, 'is repeated', start)
      else members[name] = walk(pair.value, inner, start, alias)
    }
    return members
  }

  function expand(node: Alias, path: Path, key: number, outer: Node | undefined): unknown {
    const target = anchors.get(node.source)
    if (!target) return refuse(path, 'is an alias (*name) of no anchor above it; quote a text that starts with a star')
    if (outer) return refuse(path, 'is an alias of a value with an alias inside: write it out')
    const value = expanded > MAX_EXPANDED ? null : walk(target, path, key, node)
    if (expanded > MAX_EXPANDED) refuse(path, 'is an alias, and all of them together stand for too much')
    return value
  }

  function refuse(path: Path, says: string, offset?: number): null {
    findings.push(offset === undefined ? { path, says } : { path, says, offset })
    return null
  }

  return { value: walk(root, [], 0), findings, offsets }
}

function keyName(key: unknown): string | undefined {
  if (!isScalar(key) || key.anchor !== undefined || key.tag !== undefined) return undefined
  // A number or `null` as a name: unknown to the schema, and named there as it is written.
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}

const startOf = (node: unknown, otherwise: number): number => (node as Node | null)?.range?.[0] ?? otherwise
