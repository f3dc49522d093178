import { type Document, LineCounter, isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml'
import type { UnixSeconds } from '../domain/words.ts'
import { plain } from './plain.ts'
import type { SiteFile } from './file.ts'
import { formatMoment, parseMoment } from './secrets.ts'

/** A file that has no sites yet; what `hv site add` starts from when there is none. */
export const EMPTY_FILE = 'version: 1\nsites: []\n'

/** Adds a site at the end of `sites`. Every other byte of the text stays. */
export function addSite(text: string, site: SiteFile): string {
  return insertItem(text, ['sites'], { ...site, hostnames: [...site.hostnames] })
}

/**
 * Adds a secret beside a site's others, which end at `until` unless they end earlier.
 *
 * @param index the site's place in `sites`.
 */
export function addSecret(text: string, index: number, sha256: string, until: UnixSeconds): string {
  const site = (read(text).value as { sites: SiteFile[] }).sites[index]!
  let edited = text
  for (const [at, secret] of site.secrets.entries()) {
    const end = secret.not_after === undefined ? undefined : parseMoment(secret.not_after)
    if (end === undefined || end > until) {
      edited = setMember(edited, ['sites', index, 'secrets', at], 'not_after', formatMoment(until))
    }
  }
  return insertItem(edited, ['sites', index, 'secrets'], { sha256 })
}

type Place = readonly (string | number)[]

interface Read {
  readonly document: Document
  readonly lines: LineCounter
  readonly value: unknown
}

function read(text: string): Read {
  const lines = new LineCounter()
  const document = parseDocument(text, { version: '1.2', schema: 'core', lineCounter: lines, logLevel: 'error' })
  return { document, lines, value: plain(document.contents).value }
}

/**
 * Splices an item into the text after a list's last one, in the list's own style. The document's own writer would
 * keep comments too, but rewrap and respace the whole file; it is left for lists that have no style to go by (`[]`).
 */
function insertItem(text: string, place: Place, item: unknown): string {
  const { document, lines } = read(text)
  const list = document.getIn(place, true)
  const last = isSeq(list) ? list.items.at(-1) : undefined
  const range = isMap(last) ? last.range : undefined
  if (isSeq(list) && range) {
    if (list.flow === true) {
      const flow = stringify([item], FLOW).trim().slice(1, -1).trim()
      return verified(text, splice(text, range[1], `, ${flow}`), place, item)
    }
    const dash = text.lastIndexOf('-', range[0])
    const indent = ' '.repeat(lines.linePos(dash).col - 1)
    const block = stringify([item], BLOCK).trimEnd().split('\n')
    const added = block.map((line) => `${lineEnd(text)}${indent}${line}`).join('')
    return verified(text, splice(text, endOfItem(text, range[1], indent.length), added), place, item)
  }
  return rewritten(text, (target) => append(target, place, item))
}

/** Sets one member of a group to a text without special characters, in the group's own style. */
function setMember(text: string, place: Place, name: string, value: string): string {
  const { document, lines } = read(text)
  const group = document.getIn(place, true)
  const old = document.getIn([...place, name], true)
  if (isScalar(old) && old.range) return text.slice(0, old.range[0]) + value + text.slice(old.range[1])
  const first = isMap(group) ? group.items[0]?.key : undefined
  const last = isMap(group) ? group.items.at(-1)?.value : undefined
  if (isMap(group) && isScalar(first) && isScalar(last) && first.range && last.range) {
    if (group.flow === true) return splice(text, last.range[1], `, ${name}: ${value}`)
    const indent = ' '.repeat(lines.linePos(first.range[0]).col - 1)
    return splice(text, endOfLine(text, last.range[1]), `${lineEnd(text)}${indent}${name}: ${value}`)
  }
  return rewritten(text, (target) => target.setIn([...place, name], value))
}

const BLOCK = { lineWidth: 0, flowCollectionPadding: false } as const
const FLOW = { ...BLOCK, collectionStyle: 'flow' } as const

/** As the last item, of a new list where there is none (`sites:`). */
function append(document: Document, place: Place, item: unknown): void {
  if (isSeq(document.getIn(place, true))) document.addIn(place, document.createNode(item))
  else document.setIn(place, document.createNode([item]))
}

function rewritten(text: string, change: (document: Document) => void): string {
  const { document } = read(text)
  change(document)
  // A list written as `[]` gets its items on lines of their own.
  const sites = document.get('sites', true)
  if (isSeq(sites) && sites.flow === true) sites.flow = false
  return document.toString(BLOCK).replaceAll('\n', lineEnd(text))
}

/** The splice, if the text then says just what it should; else the document's own writer, which cannot be wrong. */
function verified(before: string, after: string, place: Place, item: unknown): string {
  const wish = structuredClone(read(before).value)
  const list = place.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], wish) as unknown[]
  list.push(item)
  const { document, value } = read(after)
  if (document.errors.length === 0 && JSON.stringify(value) === JSON.stringify(wish)) return after
  return rewritten(before, (target) => append(target, place, item))
}

const splice = (text: string, at: number, added: string): string => text.slice(0, at) + added + text.slice(at)
const lineEnd = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  if (end === -1) return text.length
  return text[end - 1] === '\r' ? end - 1 : end
}

/** The end of an item's last line, with the comments below that are indented as part of it. */
function endOfItem(text: string, from: number, dashIndent: number): number {
  // A block's own end may already be behind its line end.
  let end = endOfLine(text, text[from - 1] === '\n' ? from - 1 : from)
  for (;;) {
    const start = text.indexOf('\n', end) + 1
    const comment = start === 0 ? undefined : /^( *)#/.exec(text.slice(start, endOfLine(text, start)))
    if (!comment || comment[1]!.length <= dashIndent) return end
    end = endOfLine(text, start)
  }
}
