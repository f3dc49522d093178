import type { Dice } from './dice.ts'
import type { ProofTask, Rect } from './task.ts'

interface Word {
  readonly width: number
  readonly height: number
}

/**
 * Words of known widths that wrap: inline blocks in lines, the first lines shortened by a float, aligned to a side or
 * to the middle, from left or from right, across or down the page. CSS 2.2, 9.4.2; CSS Writing Modes 3.
 *
 * Why only an engine: line breaking with floats; no font is needed, so every engine agrees.
 * People who could be hurt: none known. No word ends within 4 px of its line, so no rounding of a zoom moves a break; there
 * is no text, so no font, smallest font size or letter spacing counts.
 */
export function wrapTask(dice: Dice): ProofTask {
  const mode = dice.pick(['horizontal-tb', 'horizontal-tb', 'vertical-rl', 'vertical-lr'] as const)
  const rtl = dice.below(2) === 1
  const align = dice.pick(['start', 'end', 'left', 'right', 'center'] as const)
  const line = 2 * dice.from(80, 140)
  const float = {
    atStart: dice.below(2) === 1,
    length: 2 * dice.from(10, 25),
    depth: 4 * dice.from(2, 14) + 2,
  }
  const words = fitted(dice, line, float)

  // First along the line and down the block, from the line's left or top; then turned.
  const startsAtEnd = rtl
  const aligned =
    align === 'left' ? !startsAtEnd : align === 'right' ? startsAtEnd : align === 'start'
  const flat: Rect[] = []
  let depth = 0
  for (const row of words) {
    const beside = depth < float.depth
    const used = row.reduce((sum, { width }) => sum + width, 0)
    const spare = line - (beside ? float.length : 0) - used
    let at =
      (beside && float.atStart ? float.length : 0) +
      (align === 'center' ? spare / 2 : aligned ? 0 : spare)
    const thick = Math.max(...row.map(({ height }) => height))
    for (const { width, height } of row) {
      // `vertical-align: top` is the right edge of a line that runs down the page, though in -lr its block begins left.
      flat.push([at, mode === 'vertical-lr' ? depth + thick - height : depth, width, height])
      at += width
    }
    depth += thick
  }
  const blockSize = depth + 7
  const rects = flat.map(([at, down, width, height]): Rect => {
    const along = startsAtEnd ? line - at - width : at
    if (mode === 'horizontal-tb') return [along, down, width, height]
    return [mode === 'vertical-lr' ? down : blockSize - down - height, along, height, width]
  })
  const targets = dice.shuffled([...rects.keys()]).slice(0, 3)

  return {
    expected: targets.flatMap((index) => [...rects[index]!]),
    put({ length, style, scope }) {
      const [inline, block] = mode === 'horizontal-tb' ? ['width', 'height'] : ['height', 'width']
      // "Left" of a line is the side it starts from when it runs left to right.
      const floatSide = float.atStart !== rtl ? 'left' : 'right'
      const container = style(
        'line-height:0',
        scope,
        `writing-mode:${mode}`,
        `text-align:${align}`,
        rtl ? 'direction:rtl' : '',
        `${inline}:${length(line)}`,
        `${block}:${length(blockSize)}`,
      )
      const side = style(
        `float:${floatSide}`,
        `${inline}:${length(float.length, mode === 'horizontal-tb' ? line : undefined)}`,
        `${block}:${length(float.depth)}`,
      )
      const boxes = words
        .flat()
        .map(({ width, height }) =>
          style(
            'display:inline-block',
            'vertical-align:top',
            `${inline}:${length(width)}`,
            `${block}:${length(height)}`,
          ),
        )
      return [
        'box',
        [[-1, container], [0, side], ...boxes.map((box) => [0, box] as const)],
        targets.map((index) => index + 2),
      ]
    },
  }
}

/** Six words as they fall into lines, none of which ends within 4 px of where its line does. */
function fitted(dice: Dice, line: number, float: { length: number; depth: number }): Word[][] {
  const rows: Word[][] = [[]]
  let depth = 0
  let used = 0
  for (let i = 0; i < 6; i++) {
    const room = (): number => line - (depth < float.depth ? float.length : 0)
    let width = 2 * dice.from(15, 40)
    // Never at the very end of the float: that is 2 px off a multiple of 4.
    const height = 4 * dice.from(2, 6)
    if (Math.abs(used + width - room()) < 4) width -= 8
    if (used > 0 && used + width > room()) {
      depth += Math.max(...rows.at(-1)!.map((word) => word.height))
      rows.push([])
      used = 0
    }
    rows.at(-1)!.push({ width, height })
    used += width
  }
  return rows
}
