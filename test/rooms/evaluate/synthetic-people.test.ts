/** Synthetic people: held against the figures of recorded ones. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { FIGURES, fitTable } from './fit.mjs'

describe('the figures of synthetic people', () => {
  let recorded: number[][]
  let synthetic: number[][]
  beforeAll(() => {
    // In a process of its own: thousands of movements are drawn ten times as fast as inside of Jest.
    const program = fileURLToPath(new URL('./fit.mjs', import.meta.url))
    const printed = execFileSync(process.execPath, [program, '--json'], { encoding: 'utf8' })
    ;({ recorded, synthetic } = JSON.parse(printed) as { recorded: number[][]; synthetic: number[][] })
  })

  test.each(Object.entries(FIGURES).map(([figure, how], i) => ({ figure, i, ...how })))(
    'are near the recorded ones: $figure',
    ({ i, share = 0.08, least = 0 }: { i: number; share?: number; least?: number }) => {
      for (const [centile, was] of recorded[i]!.entries())
        expect(Math.abs(synthetic[i]![centile]! - was)).toBeLessThanOrEqual(Math.max(least, share * was))
    },
  )

  test('are those of the page', () => {
    const cells = (text: string): string[] => text.split(/[|/\n]/).map((cell) => cell.trim())
    const page = readFileSync(new URL('../../../docs/design/risk.md', import.meta.url), 'utf8')
    const table = /\| Figure \| Recorded[^]*?(?=\n\n)/.exec(page)?.[0] ?? ''
    const measured = cells(fitTable(recorded, synthetic))
    expect(cells(table)).toHaveLength(measured.length)
    // Other releases of Node.js may round a sine otherwise, and then draw another path.
    for (const [i, cell] of cells(table).entries()) {
      if (!/\d/.test(cell) || Number.isNaN(Number(cell))) continue
      expect(Math.abs(Number(cell) - Number(measured[i]))).toBeLessThanOrEqual(Math.max(0.02, 0.02 * Number(cell)))
    }
  })
})
