import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { handOf } from '../../lab/evaluate/hands/hand.mjs'
import { byFrames } from '../rooms/evaluate/measures.mjs'
import { SENTENCES } from '../../lab/evaluate/hands/sentences.mjs'

/** JavaScript's keyCode of the keys of a US keyboard that have another than their letter's. */
const CODES: Record<string, number> = { BackSpace: 8, Shift: 16, ' ': 32, ',': 188, '.': 190 }

/**
 * Writes recordings in the format of docs/design/evaluation.md, "Recorded hands", of people that nobody recorded.
 *
 * @returns the folder
 */
export function writeRecordings(people = 12): string {
  const folder = mkdtempSync(join(tmpdir(), 'hv-recordings-'))
  for (const part of ['mouse', 'keys']) mkdirSync(join(folder, part))
  for (let i = 0; i < people; i++) {
    writeFileSync(join(folder, `mouse/user${i}.csv`), pointerOf(i))
    writeFileSync(join(folder, `keys/p${i}.tsv`), keysOf(i))
  }
  return folder
}

/** Twelve reaches and clicks, one move for each frame, two seconds apart. */
function pointerOf(seed: number): string {
  const hand = handOf(`recorded ${seed}`)
  const lines = ['t_ms,button,state,x,y']
  let from = { x: 400, y: 300 }
  let now = 0
  for (let i = 0; i < 12; i++) {
    const to = { x: 700 + 350 * Math.cos(i * 2), y: 450 + 250 * Math.sin(i * 3) }
    const { points, settle, held, duration } = byFrames(hand.reach(from, to))
    const { x, y } = points.at(-1)!
    for (const point of points) lines.push([Math.round(now + point.t), 'NoButton', 'Move', point.x, point.y].join())
    const pressed = now + duration + settle
    lines.push([Math.round(pressed), 'Left', 'Pressed', x, y].join())
    lines.push([Math.round(pressed + held), 'Left', 'Released', x, y].join())
    now = pressed + held + 2000
    from = { x, y }
  }
  return `${lines.join('\n')}\n`
}

function keysOf(seed: number): string {
  const hand = handOf(`recorded ${seed}`)
  const lines = SENTENCES.slice(0, 6).flatMap((sentence, section) =>
    hand
      .type(sentence)
      .map(({ at, until, key }) =>
        [section, Math.round(at), Math.round(until), '', CODES[key] ?? key.toUpperCase().codePointAt(0)].join('\t'),
      ),
  )
  return `section\tpress_ms\trelease_ms\tletter\tkeycode\n${lines.join('\n')}\n`
}
