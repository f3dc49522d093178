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
  const table = byId(id) as HTMLTableElement
  const rowOf = (cells: readonly (string | Cell)[], isHead = false): HTMLTableRowElement => {
    const row = document.createElement('tr')
    row.append(...cells.map((each, i) => cell(typeof each === 'string' ? { text: each } : each, i === 0, isHead)))
    return row
  }
  const [head, body] = [document.createElement('thead'), document.createElement('tbody')]
  head.append(rowOf(heads, true))
  body.append(...(all.length === 0 ? [rowOf([empty])] : all.map((cells) => rowOf(cells))))
  table.replaceChildren(head, body)
}

function cell({ text, detail }: Cell, isFirst: boolean, isHead: boolean): HTMLElement {
  const element = document.createElement(isFirst || isHead ? 'th' : 'td')
  if (isFirst || isHead) element.setAttribute('scope', isHead ? 'col' : 'row')
  if (!isFirst) element.className = 'number'
  element.append(text)
  if (detail !== undefined) {
    const small = document.createElement('small')
    small.textContent = detail
    element.append(small)
  }
  return element
}

/** Replaces the options of a select, and keeps what is chosen while it is still there. */
export function writeOptions(select: HTMLSelectElement, all: readonly { value: string; text: string }[]): void {
  const { value } = select
  select.replaceChildren(...all.map((each) => new Option(each.text, each.value)))
  if (all.some((each) => each.value === value)) select.value = value
}
