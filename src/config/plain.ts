import { type Node, isAlias, isMap, isScalar, isSeq } from 'yaml'
import type { Path } from '../schema/schema.ts'
import type { Finding } from './finding.ts'
import { formatPath } from './path.ts'

/** No setting lies deeper than 6; more is a slip or an attack on the stack. */
const MAX_DEPTH = 16

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

/** Turns parsed YAML into plain values, and refuses what would make a file mean something other than it says. */
export function plain(root: unknown): Plain {
  const findings: Finding[] = []
  const offsets = new Map<string, Offsets>()

  function walk(node: unknown, path: Path, key: number): unknown {
    const [value, end] = (node as Node | null)?.range ?? [key, key]
    offsets.set(formatPath(path), { key, value, end })
    if (path.length > MAX_DEPTH) return refuse(path, 'is nested too deeply')
    if (isAlias(node)) return refuse(path, 'is an alias (*name): write it out, or quote a text that starts with a star')
    if (isScalar(node) || isMap(node) || isSeq(node)) {
      if (node.anchor !== undefined) refuse(path, 'has an anchor (&name): write it out, or quote the text', value)
      if (node.tag !== undefined) refuse(path, 'has a tag (!name): leave it away, or quote the text', value)
    }
    if (isScalar(node)) return node.value
    if (isSeq(node)) return node.items.map((item, index) => walk(item, [...path, index], offsetOf(item, key)))
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
        members[name] = walk(pair.value, inner, start)
      }
    }
    return members
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
