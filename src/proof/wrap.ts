import type { Dice } from './dice.ts'
import type { Spelling } from './spelling.ts'
import type { BoxTask, ProofTask, Rect } from './task.ts'

interface Word {
  readonly width: number
  readonly height: number
}

/** Lines of words beside a float, as they were drawn. Lengths are pixels. */
type Lines = ReturnType<typeof drawLines>

function drawLines(dice: Dice) {
  const mode = dice.pick(['horizontal-tb', 'horizontal-tb', 'vertical-rl', 'vertical-lr'] as const)
  const rtl = dice.below(2) === 1
  const align = dice.pick(['start', 'end', 'left', 'right', 'center'] as const)
  const line = 2 * dice.from(80, 140)
  const float = {
    atStart: dice.below(2) === 1,
    length: 2 * dice.from(10, 25),
    depth: 4 * dice.from(2, 14) + 2,
  }
  return { mode, rtl, align, line, float, words: fitWords(dice, line, float) }
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
  const lines = drawLines(dice)
  const { rects, blockSize } = layOut(lines)
  const targets = dice.shuffled([...rects.keys()]).slice(0, 3)
  return {
    expected: targets.flatMap((index) => [...rects[index]!]),
    put: (spelling) => [
      'box',
      stylesOf(lines, blockSize, spelling),
      targets.map((index) => index + 2),
    ],
  }
}

/** Lays the words out along the line and down the block, from the line's left or top; then turns them. */
function layOut({ mode, rtl, align, line, float, words }: Lines) {
  const share = spareBefore(align, rtl)
  const flat: Rect[] = []
  let depth = 0
  for (const row of words) {
    const beside = depth < float.depth
    const used = row.reduce((sum, { width }) => sum + width, 0)
    const spare = line - (beside ? float.length : 0) - used
    let at = (beside && float.atStart ? float.length : 0) + spare * share
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
    const along = rtl ? line - at - width : at
    if (mode === 'horizontal-tb') return [along, down, width, height]
    return [mode === 'vertical-lr' ? down : blockSize - down - height, along, height, width]
  })
  return { rects, blockSize }
}

/** Returns the share of a line's spare room that comes before its words. */
function spareBefore(align: Lines['align'], rtl: boolean): number {
  switch (align) {
    case 'center':
      return 1 / 2
    case 'left':
      return rtl ? 1 : 0
    case 'right':
      return rtl ? 0 : 1
    case 'start':
      return 0
    case 'end':
      return 1
  }
}

function stylesOf(
  { mode, rtl, align, line, float, words }: Lines,
  blockSize: number,
  { length, style, scope }: Spelling,
): BoxTask[1] {
  const isAcross = mode === 'horizontal-tb'
  const [inline, block] = isAcross ? ['width', 'height'] : ['height', 'width']
  // "Left" of a line is the side it starts from when it runs left to right.
  const floatSide = float.atStart === rtl ? 'right' : 'left'
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
    `${inline}:${length(float.length, isAcross ? line : undefined)}`,
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
  return [[-1, container], [0, side], ...boxes.map((box) => [0, box] as const)]
}

/** Six words as they fall into lines, none of which ends within 4 px of where its line does. */
function fitWords(dice: Dice, line: number, float: { length: number; depth: number }): Word[][] {
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
