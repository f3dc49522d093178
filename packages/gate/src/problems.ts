/** What is wrong with a configuration: collected, and then told at once, with the place of each problem. */
import { type Document, LineCounter, type Node, parseDocument, visit } from 'yaml'

/** The configuration cannot be used. The message names every problem, each on a line of its own. */
export class SettingsError extends Error {}

/** A configuration as it was written, and its problems. Places are JSON pointers such as `/gates/0/hosts`. */
export class Written {
  readonly #file: string
  readonly #lines = new LineCounter()
  readonly #document: Document
  readonly #problems: string[] = []

  /** @throws {SettingsError} where the text is no YAML. */
  constructor(file: string, text: string) {
    this.#file = file
    const options = { stringKeys: true, prettyErrors: false, lineCounter: this.#lines }
    this.#document = parseDocument(text, options)
    const { errors, warnings } = this.#document
    for (const { pos, message } of [...errors, ...warnings]) this.#add(pos[0], message)
    visit(this.#document, {
      Alias: (_key, { range }) =>
        this.#add(range![0], 'a text with a star needs quotes: "*.example.com"'),
    })
    this.throwProblems()
  }

  /** Returns what was written, before any of it is checked. */
  value(): unknown {
    return this.#document.toJS()
  }

  /** Notes a problem. */
  report(place: string, says: string): void {
    this.#add(this.#offsetOf(place), `${nameOf(place).padEnd(24)}  ${says}`)
  }

  /** @throws {SettingsError} where there is a problem. */
  throwProblems(): void {
    const { length } = this.#problems
    if (length === 0) return
    const count = length === 1 ? '1 error' : `${length} errors`
    throw new SettingsError(`${this.#file}: ${count}${this.#problems.join('')}`)
  }

  #add(offset: number, says: string): void {
    const { line, col } = this.#lines.linePos(offset)
    this.#problems.push(`\n  ${`${line}:${col}`.padEnd(7)}${says}`)
  }

  /** Finds where a value begins; for what is missing or left empty, the group around it. */
  #offsetOf(place: string): number {
    const node = this.#document.getIn(place.split('/').slice(1), true) as Node | undefined
    if (node?.range) return node.range[0]
    return place === '' ? 0 : this.#offsetOf(place.slice(0, place.lastIndexOf('/')))
  }
}

/** Spells a place as people write it: `gates[0].hosts`. */
const nameOf = (place: string): string =>
  place
    .split('/')
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\.*/, '')
