import { type Alias, type Node, isAlias, isMap, isScalar, isSeq } from 'yaml'
import type { Path } from '../../schema/schema.ts'
import type { Finding } from '../finding.ts'
import { formatPath } from '../path.ts'

/** No setting lies deeper than 6; more is a slip or an attack on the stack. */
const MAX_DEPTH = 16

/** Values that all aliases of a file together may stand for: ten for each of the 10,000 sites a file can have. */
const MAX_EXPANDED = 100_000

/** Characters from the start of the file. */
interface Offsets {
  readonly key: number
  readonly value: number
  readonly end: number
}

export interface Plain {
  readonly value: unknown
  readonly findings: readonly Finding[]
  /** By formatted path. */
  readonly offsets: ReadonlyMap<string, Offsets>
}

/**
 * Turns parsed YAML into plain values, and refuses what would make a file mean something other than it says.
 *
 * An alias stands for the value of its anchor, written out. What it stands for has no alias inside, so that what a
 * file says grows with its length and never with a power of it ("billion laughs").
 */
export function plain(root: unknown): Plain {
  const findings: Finding[] = []
  const offsets = new Map<string, Offsets>()
  const anchors = new Map<string, Node>()
  let expanded = 0

  /** @param alias the alias that stands for this value: problems are pointed to there. */
  function walk(node: unknown, path: Path, key: number, alias?: Node): unknown {
    const [value, end] = (alias ?? (node as Node | null))?.range ?? [key, key]
    offsets.set(formatPath(path), { key, value, end })
    if (path.length > MAX_DEPTH) return refuse(path, 'is nested too deeply')
    if (isAlias(node)) return written(node, path, key, alias)
    if (alias && expanded++ >= MAX_EXPANDED) return null
    if (isScalar(node) || isMap(node) || isSeq(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
      if (node.tag !== undefined) refuse(path, 'has a tag (!name): leave it away, or quote the text', value)
    }
    if (isScalar(node)) return node.value
    if (isSeq(node)) return node.items.map((item, index) => walk(item, [...path, index], offsetOf(item, key), alias))
    if (!isMap(node)) return null
    const members: Record<string, unknown> = {}
    for (const pair of node.items) {
      const start = offsetOf(pair.key, key)
      const name = keyName(pair.key)
      const inner = name === undefined ? path : [...path, name]
      if (name === undefined) {
        refuse(inner, 'has a name that is not text (a colon too many, or an alias?)', start)
      } else if (name === '<<' || name === '__proto__') {
        refuse(inner, name === '<<' ? 'merges another group: write it out' : 'is no name for a setting', start)
      } else if (Object.hasOwn(members, name)) {
        refuse(inner, 'is there twice', start)
      } else {
        members[name] = walk(pair.value, inner, start, alias)
      }
    }
    return members
  }

  function written(node: Alias, path: Path, key: number, outer: Node | undefined): unknown {
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

const offsetOf = (node: unknown, otherwise: number): number => (node as Node | null)?.range?.[0] ?? otherwise
