/** Small means to write into the page. Everything goes in as text, never as HTML. */

/** @throws {Error} when the page has no such element: a mistake of ours. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new Error(`no element ${id}`)
  return element
}

/** Writes a text, and nothing if it is there already: a screen reader hears only what is new. */
export function write(id: string, text: string): void {
  const element = byId(id)
  if (element.textContent !== text) element.textContent = text
}

/** Makes an element with these properties and children. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

export interface Cell {
  readonly text: string
  /** Smaller, below. */
  readonly detail?: string
}

/**
 * Replaces a table. The first cell of a row names it, the others are numbers.
 *
 * @param empty what is said where there are no rows.
 */
export function writeTable(
  id: string,
  heads: readonly string[],
  all: readonly (readonly (string | Cell)[])[],
  empty = 'none',
): void {
  const table = byId(id)
  const rowOf = (cells: readonly (string | Cell)[], isHead = false): HTMLTableRowElement =>
    make(
      'tr',
      {},
      ...cells.map((each, i) =>
        cell(typeof each === 'string' ? { text: each } : each, i === 0, isHead),
      ),
    )
  const rows = all.length === 0 ? [rowOf([empty])] : all.map((cells) => rowOf(cells))
  table.replaceChildren(make('thead', {}, rowOf(heads, true)), make('tbody', {}, ...rows))
}

function cell({ text, detail }: Cell, isFirst: boolean, isHead: boolean): HTMLElement {
  const kind = { className: isFirst ? '' : 'number' }
  const content = detail === undefined ? [text] : [text, make('small', {}, detail)]
  if (!isFirst && !isHead) return make('td', kind, ...content)
  return make('th', { ...kind, scope: isHead ? 'col' : 'row' }, ...content)
}

/** Replaces the options of a select, and keeps what is chosen while it is still there. */
export function writeOptions(
  select: HTMLSelectElement,
  all: readonly { value: string; text: string }[],
): void {
  const { value } = select
  select.replaceChildren(...all.map((each) => new Option(each.text, each.value)))
  if (all.some((each) => each.value === value)) select.value = value
}
