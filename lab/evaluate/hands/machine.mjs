import { dice } from '../person/dice.mjs'
import { draws } from './draws.mjs'

/**
 * Draws the computer of a synthetic person, as far as the widget can tell it: a desktop Chromium with a keyboard and a mouse.
 * The shares are assumptions (docs/design/synthetic-people.md, "What it does not show").
 *
 * @typedef {ReturnType<typeof machineOf>} Machine
 * @param {string | number} seed
 * @param {string | number} [visit] another visit on the same machine
 * @param {'Windows' | 'macOS' | 'Linux'} [fixedSystem] a system instead of a drawn one
 */
export function machineOf(seed, visit = 0, fixedSystem) {
  const draw = draws(dice(`machine ${seed}`))
  const anySystem = draw.oneOf([
    ['Windows', 0.66],
    ['macOS', 0.2],
    ['Linux', 0.14],
  ])
  const system = fixedSystem ?? anySystem
  return {
    system,
    /** Frames a second of the screen. */
    refresh: draw.oneOf([
      [60, 0.74],
      [75, 0.06],
      [120, 0.08],
      [144, 0.12],
    ]),
    /** Share of frames that come late because the page is busy. */
    lateFrames: draw.between(0, 0.04),
    /** Where in a millisecond X11's whole ones fall; undefined where the system stamps input finely. */
    fraction: system === 'Linux' ? Math.floor(draw.next() * 10) / 10 : undefined,
    cores: draw.oneOf([
      [2, 0.05],
      [4, 0.24],
      [6, 0.07],
      [8, 0.34],
      [12, 0.14],
      [16, 0.16],
    ]),
    languages: draw.oneOf([
      [1, 0.33],
      [2, 0.5],
      [3, 0.12],
      [4, 0.05],
    ]),
    touchPoints: system === 'Windows' && draw.chance(0.2) ? 10 : 0,
    /** Milliseconds the work takes. */
    workMs: draw.logNormal(420, 0.5),
    /** Draws of this visit. */
    draw: draws(dice(`machine ${seed} on visit ${visit}`)),
  }
}
