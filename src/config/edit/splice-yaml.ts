/** Changes a YAML text at one place, in the style of that place, and leaves every other byte alone. */
import { type Document, LineCounter, type YAMLMap, isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml'
import type { Path } from '../../schema/schema.ts'
import { plain } from '../yaml/values.ts'

/** How we write: never rewrapped. */
export const BLOCK = { lineWidth: 0, flowCollectionPadding: false } as const
const FLOW = { ...BLOCK, collectionStyle: 'flow' } as const

interface ReadYaml {
  readonly document: Document
  readonly lines: LineCounter
  readonly value: unknown
}

export function readYaml(text: string): ReadYaml {
  const lines = new LineCounter()
  const document = parseDocument(text, { version: '1.2', schema: 'core', lineCounter: lines, logLevel: 'error' })
  return { document, lines, value: plain(document.contents).value }
}

/** Adds items after a list's last one. @returns undefined when the list has none to take its style from. */
export function insertItems(text: string, place: Path, items: readonly unknown[]): string | undefined {
  const { document, lines } = readYaml(text)
  const list = document.getIn(place, true)
  const last = isSeq(list) ? list.items.at(-1) : undefined
  const range = isMap(last) ? last.range : undefined
  if (!isSeq(list) || !range) return undefined
  if (list.flow === true) {
    const flow = stringify(items, FLOW).trim().slice(1, -1).trim()
    return splice(text, range[1], `, ${flow}`)
  }
  const dash = dashBefore(text, last as YAMLMap)
  const indent = ' '.repeat(lines.linePos(dash).col - 1)
  const block = stringify(items, BLOCK).trimEnd().split('\n')
  const addition = block.map((line) => `${lineEnd(text)}${indent}${line}`).join('')
  return splice(text, endOfItem(text, range[1], indent.length), addition)
}

/** Takes an item out of a list: with its comments, those on the lines right above it included, or with its comma. */
export function removeItem(text: string, place: Path, index: number): string | undefined {
  const { document, lines } = readYaml(text)
  const list = document.getIn(place, true)
  if (!isSeq(list)) return undefined
  const item = list.items[index]
  const range = isMap(item) ? item.range : undefined
  if (!range || list.items.length < 2) return undefined
  if (list.flow === true) {
    const next = list.items[index + 1]
    const previous = list.items[index - 1]
    if (isMap(next) && next.range) return text.slice(0, range[0]) + text.slice(next.range[0])
    return isMap(previous) && previous.range ? text.slice(0, previous.range[1]) + text.slice(range[1]) : undefined
  }
  const dash = dashBefore(text, item as YAMLMap)
  const indent = lines.linePos(dash).col - 1
  const from = startWithComments(text, dash - indent, indent)
  const to = text.indexOf('\n', endOfItem(text, range[1], indent))
  return to === -1 ? text.slice(0, from) : text.slice(0, from) + text.slice(to + 1)
}

/** Sets one member of a group to a text without special characters, in the group's own style. */
export function setMember(text: string, place: Path, name: string, value: string): string | undefined {
  const { document, lines } = readYaml(text)
  const group = document.getIn(place, true)
  const old = document.getIn([...place, name], true)
  if (isScalar(old) && old.range) return text.slice(0, old.range[0]) + value + text.slice(old.range[1])
  const first = isMap(group) ? group.items[0]?.key : undefined
  const last = isMap(group) ? group.items.at(-1)?.value : undefined
  if (!isMap(group) || !isScalar(first) || !isScalar(last) || !first.range || !last.range) return undefined
  if (group.flow === true) return splice(text, last.range[1], `, ${name}: ${value}`)
  const indent = ' '.repeat(lines.linePos(first.range[0]).col - 1)
  return splice(text, endOfLine(text, last.range[1]), `${lineEnd(text)}${indent}${name}: ${value}`)
}

const splice = (text: string, at: number, addition: string): string => text.slice(0, at) + addition + text.slice(at)

/** As the text has it. */
export const lineEnd = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** The dash of a block list's item; what may stand between, an anchor, can have dashes itself. */
function dashBefore(text: string, item: YAMLMap): number {
  const start = item.range![0]
  const anchor = item.anchor === undefined ? start : text.lastIndexOf(`&${item.anchor}`, start)
  return text.lastIndexOf('-', anchor - 1)
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  if (end === -1) return text.length
  return text[end - 1] === '\r' ? end - 1 : end
}

/** The end of an item's last line, with the comments below that are indented as part of it. */
function endOfItem(text: string, from: number, dashIndent: number): number {
  // A block's own end may already be behind its line end; and behind a comment inside, it is behind all that follows
  // up to the next value.
  let end = endOfLine(text, text[from - 1] === '\n' ? from - 1 : from)
  for (;;) {
    const start = text.lastIndexOf('\n', end - 1) + 1
    const line = text.slice(start, end)
    if (line.trim() !== '' && commentIndent(line) > dashIndent) break
    end = endOfLine(text, start - 1)
  }
  for (;;) {
    const start = text.indexOf('\n', end) + 1
    const indent = start === 0 ? Infinity : commentIndent(text.slice(start, endOfLine(text, start)))
    if (indent === Infinity || indent <= dashIndent) return end
    end = endOfLine(text, start)
  }
}

/** Spaces before a line's comment; infinite for a line that is none. */
const commentIndent = (line: string): number => /^( *)#/.exec(line)?.[1]!.length ?? Infinity

/** Where an item's line starts, or the first of the comment lines right above it that are indented as it is. */
function startWithComments(text: string, lineStart: number, indent: number): number {
  let start = lineStart
  while (start > 0) {
    const above = text.lastIndexOf('\n', start - 2) + 1
    const comment = /^( *)#/.exec(text.slice(above, start))
    if (comment?.[1]!.length !== indent) return start
    start = above
  }
  return start
}
