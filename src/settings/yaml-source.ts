import { type ErrorCode, LineCounter, type Node, isAlias, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml'
import type { SourceFile, Sources } from './files.ts'
import { ConfigError, type Finding, formatPath, type Path, type Problem } from './problem.ts'

type Spot = Pick<Problem, 'file' | 'line' | 'column'>

/** One file of a configuration, as YAML 1.2 with the core schema: dates and `yes` stay text, nothing is merged. */
interface Part {
  /** Undefined where the configuration is one file. */
  readonly file: string | undefined
  /** Where its value stands in the whole: `['sites', 3]`; empty for the main file. */
  readonly prefix: Path
  at(offset: number): Spot
  /** Reports whether a value that ends here was understood. */
  isSound(end: number): boolean
}

/** Where a value stands, in characters from the start of its file. */
interface Place {
  readonly part: Part
  readonly key: number
  readonly value: number
  readonly end: number
}

/** By formatted path, of all files together. */
type Places = Map<string, Place>

/**
 * Reads all files of a configuration as if they were one, without judging it: each site's file is an item of `sites`, behind
 * those that the main file has itself.
 */
export function parseSources({ main, sites, folder }: Sources) {
  const places: Places = new Map()
  const read = (source: SourceFile, prefix: Path): Read => readPart(source, prefix, folder !== undefined, places)
  const own = read(main, [])
  const { sites: inMain } = (own.value ?? {}) as { sites?: unknown }
  const items: unknown[] = Array.isArray(inMain) ? [...(inMain as unknown[])] : []
  const others = sites.map((each) => {
    const part = read(each, ['sites', items.length])
    // A file that is not YAML at all has its problem; it takes no place in the list.
    if (part.value !== undefined) items.push(part.value)
    return part
  })
  const placeOf = ({ path, atKey, offset }: Finding): { part: Part; start: number; end: number } => {
    for (let length = path.length; length >= 0; length--) {
      const { part, key, value, end } = places.get(formatPath(path.slice(0, length))) ?? {}
      if (part) return { part, start: offset ?? (atKey && length === path.length ? key! : value!), end: offset ?? end! }
    }
    return { part: own.part, start: 0, end: 0 }
  }
  const partOf = (path: Path): Part => placeOf({ path, says: '' }).part
  const all = [own, ...others]
  return {
    /** What it says, as plain values; undefined when nothing of it could be understood. */
    value: folder === undefined ? own.value : withSites(own.value, items),
    /** What YAML allows and we do not (merge keys, tags, repeated names), by place. */
    findings: all.flatMap(({ findings }) => findings),
    /** What is not YAML. From the first one on, the rest of the file may be misunderstood. */
    broken: all.flatMap(({ broken }) => broken),
    /** Returns how a problem names a place. @param from the place of the problem, when it names another one too. */
    name(path: Path, from: Path = path): string {
      const { file, prefix } = partOf(path)
      const name = formatPath(path.slice(prefix.length))
      return partOf(from).file === file ? name : `${name} of ${file}`
    },
    /** Returns where a value (or its name) stands; the nearest group around it when it is missing. */
    spot(finding: Finding): Spot {
      const { part, start } = placeOf(finding)
      return part.at(start)
    },
    /** Reports whether a finding is about a part that was understood: one that ended before the first thing that is not YAML. */
    believes(finding: Finding): boolean {
      const { part, end } = placeOf(finding)
      return part.isSound(end)
    },
  }
}

/** Without a main file that can be read, each site is looked at all the same; a wrong `sites` of it stays wrong. */
function withSites(value: unknown, sites: readonly unknown[]): unknown {
  if (value === undefined || value === null) return { sites }
  if (typeof value !== 'object' || Array.isArray(value)) return value
  const { sites: own } = value as { sites?: unknown }
  return own === undefined || own === null || Array.isArray(own) ? { ...value, sites } : value
}

interface Read {
  readonly part: Part
  readonly value: unknown
  readonly findings: readonly Finding[]
  readonly broken: readonly Problem[]
}

function readPart({ file: name, text }: SourceFile, prefix: Path, isOneOfMany: boolean, places: Places): Read {
  const file = isOneOfMany ? name : undefined
  const lines = new LineCounter()
  const at = (offset: number): Spot => {
    const { line, col } = lines.linePos(offset)
    // Before the first line was counted (an empty file) the counter answers 0.
    return { ...(file !== undefined && { file }), line: Math.max(1, line), column: Math.max(1, col) }
  }
  const nothing = (...broken: readonly Problem[]): Read => {
    return { part: { file, prefix, at, isSound: () => false }, value: undefined, findings: [], broken }
  }
  if (text instanceof ConfigError) return nothing(...text.problems.map((each) => ({ ...each, ...(file && { file }) })))
  const unread = unreadable(text)
  if (unread) {
    for (const { index } of text.matchAll(/^/gm)) lines.addNewLine(index)
    return nothing({ ...at(unread.offset), where: 'YAML', says: unread.says })
  }
  // `uniqueKeys` compares each name with each, hours for a hostile 1 MiB: plainValues does it with an object.
  // Not `silent`: that would also keep a second document to itself.
  const options = { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const
  const document = parseDocument(text, { lineCounter: lines, ...options })

  // The library's messages quote the file, and a file may hold a secret in the wrong place: our words instead.
  let errors = document.errors.map(({ code, pos: [from] }) => [from, SYNTAX[code] ?? 'is not YAML'] as const)
  const quotes = document.errors.map(({ code, pos: [end] }) =>
    code === 'MISSING_CHAR' ? openQuote(document.contents, end) : undefined,
  )
  const quote = quotes.find((offset) => offset !== undefined)
  // All that comes after an open quote is inside it.
  if (quote !== undefined)
    errors = [...errors.filter(([offset]) => offset < quote), [quote, 'opens a quote that is never closed']]
  const directive = /^%(?:YAML|TAG)/m.exec(text)
  if (directive) errors.unshift([directive.index, 'is a directive (%YAML, %TAG), which is not used here'])
  const firstError = Math.min(...errors.map(([offset]) => offset))
  const isSound = (end: number): boolean => errors.length === 0 || text.slice(end, firstError).trim() !== ''
  const part = { file, prefix, at, isSound }
  return {
    part,
    ...plainValues(document.contents, part, places),
    // One slip is often met twice at one place; the first meeting says most.
    broken: [...new Map(errors.toReversed())].map(([offset, says]) => ({ ...at(offset), where: 'YAML', says })),
  }
}

/** Brackets that may be open at once, and columns that a nested value may begin at. Ours needs 4 and 12. */
const DEEPEST = 200

/**
 * Finds what the library must not see. It recurses into nesting, and V8 ends the whole process when the stack runs out
 * while it compiles a regular expression (seen with 250,000 dashes, yaml 2.9). Brackets in quotes and comments count too.
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
}

/**
 * Turns parsed YAML into plain values, and refuses what would make a file mean something other than it says. An alias is
 * the very value of its anchor, so that nothing grows by aliases ("billion laughs"); problems inside point at the alias.
 */
function plainValues(root: Node | null, part: Part, places: Places): Pick<Read, 'value' | 'findings'> {
  const findings: Finding[] = []
  const anchors = new Map<string, unknown>()
  const refuse = (path: Path, says: string, offset?: number): null => {
    findings.push(offset === undefined ? { path, says } : { path, says, offset })
    return null
  }

  function walk(node: unknown, path: Path, key: number): unknown {
    const [start, end] = (node as Node | null)?.range ?? [key, key]
    places.set(formatPath(path), { part, key, value: start, end })
    if (isAlias(node)) {
      if (anchors.has(node.source)) return anchors.get(node.source)
      return refuse(path, 'is an alias (*name) of no anchor above it; quote a text that starts with a star')
    }
    if (!isScalar(node) && !isSeq(node) && !isMap(node)) return null
    if (node.tag !== undefined) refuse(path, 'has a YAML tag (!name): remove it, or quote the value', start)
    const value = isScalar(node)
      ? node.value
      : isSeq(node)
        ? node.items.map((item, index) => walk(item, [...path, index], startOf(item, key)))
        : members(node.items, path, key)
    if (node.anchor !== undefined) anchors.set(node.anchor, value)
    return value
  }

  function members(pairs: readonly { key: unknown; value: unknown }[], path: Path, key: number): object {
    const found: Record<string, unknown> = {}
    for (const pair of pairs) {
      const start = startOf(pair.key, key)
      const name = keyName(pair.key)
      const inner = name === undefined ? path : [...path, name]
      if (name === undefined) refuse(inner, 'has a name that is not text (a colon too many, or an alias?)', start)
      else if (name === '<<') refuse(inner, 'merges another group: write it out', start)
      else if (name === '__proto__') refuse(inner, 'is no name for a setting', start)
      else if (Object.hasOwn(found, name)) refuse(inner, 'is repeated', start)
      else found[name] = walk(pair.value, inner, start)
    }
    return found
  }

  return { value: walk(root, part.prefix, 0), findings }
}

function keyName(key: unknown): string | undefined {
  if (!isScalar(key) || key.anchor !== undefined || key.tag !== undefined) return undefined
  // A number or `null` as a name: unknown to the schema, and named there as it is written.
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}

const startOf = (node: unknown, otherwise: number): number => (node as Node | null)?.range?.[0] ?? otherwise
