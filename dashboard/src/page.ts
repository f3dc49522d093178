/** Small means to write into the page. Everything goes in as text, never as HTML. */

/** @throws {Error} when the page has no such element: a mistake of ours. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new Error(`no element ${id}`)
  return element
}

/** Writes a text, and nothing if it stands there already: a screen reader hears only what is new. */
export function write(id: string, text: string): void {
  const element = byId(id)
  if (element.textContent !== text) element.textContent = text
}

export const show = (id: string, shown: boolean): void => {
  byId(id).hidden = !shown
}

/** A cell: its text; `number` aligns to the right; `heading` names the row; a level colours it. */
export interface CellText {
  readonly text: string
  readonly number?: boolean
  readonly heading?: boolean
  readonly level?: 'bad' | 'warn'
  /** Smaller, below. */
  readonly detail?: string
}

export const right = (text: string): CellText => ({ text, number: true })
export const head = (text: string): CellText => ({ text, heading: true })

/** Replaces the rows of a body of a table. */
export function rows(id: string, all: readonly (readonly CellText[])[]): void {
  byId(id).replaceChildren(...all.map((cells) => row(cells)))
}

/** Replaces a whole table: its heads, and the rows. */
export function table(id: string, heads: readonly string[], all: readonly (readonly CellText[])[]): void {
  const thead = document.createElement('thead')
  const first = row(heads.map((text, i) => ({ text, heading: true, number: i > 0 })))
  for (const cell of first.children) cell.setAttribute('scope', 'col')
  thead.append(first)
  const body = document.createElement('tbody')
  body.append(...all.map((cells) => row(cells)))
  byId(id).replaceChildren(thead, body)
}

function row(cells: readonly CellText[]): HTMLTableRowElement {
  const line = document.createElement('tr')
  for (const { text, number, heading, level, detail } of cells) {
    const cell = document.createElement(heading ? 'th' : 'td')
    if (heading) cell.setAttribute('scope', 'row')
    if (number) cell.className = 'number'
    if (level) cell.dataset['level'] = level
    cell.textContent = text
    if (detail !== undefined) {
      const small = document.createElement('small')
      small.textContent = detail
      cell.append(small)
    }
    line.append(cell)
  }
  return line
}

/** Offers these choices, and keeps the one that is chosen if it is still there; says so when there are none. */
export function choices(select: HTMLSelectElement, all: readonly { value: string; text: string }[]): void {
  const chosen = select.options.length > 0 && !select.disabled ? select.value : undefined
  const now = JSON.stringify(all)
  if (select.dataset['choices'] === now) return
  select.dataset['choices'] = now
  const offered = all.length > 0 ? all : [{ value: '', text: 'none yet' }]
  select.replaceChildren(...offered.map(({ value, text }) => new Option(text, value, false, value === chosen)))
  select.disabled = all.length === 0
}
