import type { Option, CommandRow } from '../describe.ts'

/** A word that can stand at a place, with its explanation for shells that show one. */
export interface Word {
  readonly word: string
  readonly says: string
}

/** Where a line can be: after `hv`, after `hv site`, after `hv site add`. */
export interface Place {
  /** The words after `hv`: `''`, `site`, `site add`. */
  readonly path: string
  /** Commands that can come next. */
  readonly commands: readonly Word[]
  readonly operands: Exclude<Taken, 'anything'>
  readonly options: readonly (Word & { readonly takes: Taken; readonly multiple: boolean })[]
}

/** What an option wants behind it. */
export type Taken = 'nothing' | 'files' | 'anything' | readonly string[]

const words = (rows: readonly CommandRow[]): Word[] =>
  rows.map(({ name, summary }) => ({ word: name.split(' ').at(-1)!, says: summary }))

/** The table as a shell sees it. */
export function placesOf(table: readonly CommandRow[]): readonly Place[] {
  const rows = table.filter(({ hidden }) => hidden !== true)
  return [
    {
      path: '',
      commands: [...words(rows), { word: 'help', says: 'lists the commands' }],
      operands: 'nothing',
      options: [],
    },
    ...rows.flatMap((row) => [row, ...Object.values(row.commands ?? {})].map(placeOf)),
  ]

  function placeOf({ name, options, commands = {}, offers }: CommandRow): Place {
    const own = Object.entries<Option>(options).map(([option, { says, multiple, ...rest }]) => ({
      word: `--${option}`,
      says,
      takes: takenBy(rest),
      multiple: multiple === true,
    }))
    const help = { word: '--help', says: 'explains it, with examples', takes: 'nothing', multiple: false } as const
    return {
      path: name,
      commands: words(Object.values(commands)),
      operands: offers ?? 'nothing',
      options: [...own, help],
    }
  }
}

function takenBy({ type, offers }: Pick<Option, 'type' | 'offers'>): Taken {
  if (type === 'boolean') return 'nothing'
  return offers ?? 'anything'
}

/** A text in single quotes, for every shell here. */
export const quoted = (text: string, escape = `'\\''`): string => `'${text.replaceAll("'", escape)}'`
