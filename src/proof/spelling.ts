import type { Dice } from './dice.ts'

/** One length has many spellings; which is taken is thrown, and only an engine needs to read it. */
export interface Spelling {
  readonly dice: Dice
  /**
   * @param px whole CSS pixels.
   * @param basis whole pixels that 100 % would be here; left out: no percentage.
   */
  readonly length: (px: number, basis?: number) => string
  /** Declarations in an order of the dice. */
  readonly style: (...declarations: readonly string[]) => string
  /** Declares what `length` may refer to; goes on the task's outermost box. */
  readonly scope: string
}

/**
 * Units are px, pt and pc alone: em, rem and ch follow the visitor's font settings (a smallest font size, "zoom text
 * only"), vw and vh the window. Whole pixels, so that no engine's grid (1/64 px, 1/60 px, times the zoom) moves a sum.
 */
export function spelling(dice: Dice): Spelling {
  const inherited = { a: dice.from(3, 40), b: dice.from(3, 40) }
  const plain = (px: number): string => {
    if (px % 16 === 0 && dice.below(2)) return `${px / 16}pc`
    if (px % 4 === 0 && dice.below(2)) return `${(px / 4) * 3}pt`
    return `${px}px`
  }

  function length(px: number, basis?: number): string {
    switch (dice.below(basis === undefined ? 6 : 8)) {
      case 0: {
        const part = dice.from(2, 60)
        return `calc(${plain(px + part)} - ${plain(part)})`
      }
      case 1:
        return `max(${plain(px)},${plain(px - dice.from(1, 50))})`
      case 2:
        return `min(${plain(px + dice.from(1, 50))},${plain(px)})`
      case 3: {
        const name = dice.pick(['a', 'b'] as const)
        return `calc(var(--${name}) + ${plain(px - inherited[name])})`
      }
      case 4: {
        const times = dice.from(2, 5)
        const rest = px % times
        return `calc(${times}*${plain((px - rest) / times)} + ${rest}px)`
      }
      case 6:
      case 7: {
        const percent = percentOf(basis!)
        return `calc(${percent}% + ${px - (percent * basis!) / 100}px)`
      }
      default:
        return plain(px)
    }
  }

  /** A percentage that is whole pixels of this basis. */
  function percentOf(basis: number): number {
    const steps = [50, 25, 20, 10, 5].filter((step) => (step * basis) % 100 === 0)
    const step = steps.length > 0 ? dice.pick(steps) : 100
    return step * dice.from(1, Math.max(1, Math.floor(120 / step)))
  }

  return {
    dice,
    length,
    style: (...declarations) => dice.shuffled(declarations.filter(Boolean)).join(';'),
    scope: `--a:${inherited.a}px;--b:${inherited.b}px`,
  }
}
