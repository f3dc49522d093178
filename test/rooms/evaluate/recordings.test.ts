import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readSentences, rhythm } from '../../../lab/evaluate/person/read-keys.mjs'
import { readReaches } from '../../../lab/evaluate/person/read-mouse.mjs'
import { recordings } from '../../../lab/evaluate/person/recordings.mjs'

/** Ten moves to the right, 16 ms apart, then a press. Times and places as a test wants them. */
function recorded({ step = 20, settle = 60, held = 80, slip = 0, from = 0 } = {}): string {
  const rows = Array.from(
    { length: 10 },
    (_, i) => `${from + i * 16 + (i > 0 ? 10 : 0)},NoButton,Move,${i * step},${100 + i}`,
  )
  const pressed = from + 154 + settle
  return [
    ...rows,
    `${pressed},Left,Pressed,${9 * step},109`,
    `${pressed + held},Left,Released,${9 * step + slip},109`,
    '',
  ].join('\n')
}
const HEAD = 't_ms,button,state,x,y\n'

describe('a recorded pointer', () => {
  test('is read into reaches: from rest to a click', () => {
    const [reach, ...more] = readReaches(HEAD + recorded())
    expect(more).toEqual([])
    expect(reach).toMatchObject({ duration: 154, settle: 60, held: 80 })
    expect(reach!.distance).toBeCloseTo(180.2, 1)
    expect(reach!.points[0]).toEqual({ t: 0, x: 0, y: 100 })
    expect(reach!.points).toHaveLength(10)
  })

  test('of several clicks gives as many reaches, each from its own start', () => {
    const reaches = readReaches(HEAD + recorded() + recorded({ from: 5000 }))
    expect(reaches.map(({ points }) => points[0]!.t)).toEqual([0, 0])
  })

  test('a movement begins after the last rest', () => {
    const before = '0,NoButton,Move,900,900\n10,NoButton,Move,800,800\n'
    const [reach] = readReaches(HEAD + before + recorded({ from: 2000 }))
    expect(reach!.points[0]).toEqual({ t: 0, x: 0, y: 100 })
  })

  test.each([
    { what: 'a drag', change: { slip: 5 } },
    { what: 'a hand that hardly moved', change: { step: 2 } },
    { what: 'a press that was held for long', change: { held: 900 } },
    { what: 'a press long after the hand came to rest', change: { settle: 3000 } },
  ])('$what is no reach', ({ change }) => {
    expect(readReaches(HEAD + recorded(change))).toEqual([])
  })

  test.each(['', HEAD, `${HEAD}rubbish\n,,,,\n`, `${HEAD}5,Left,Pressed,1,1\n`])('rubbish has no reach: %j', (text) => {
    expect(readReaches(text)).toEqual([])
  })
})

const KEYS = `section\tpress_ms\trelease_ms\tletter\tkeycode
7\t100\t180\t\t16
7\t140\t230\t\t72
${Array.from({ length: 8 }, (_, i) => `7\t${300 + i * 100}\t${380 + i * 100}\t\t${65 + i}`).join('\n')}
7\t1200\t1300\t\t8
7\t1400\t1490\t\t37
8\t5\t90\t\t65
`

describe('recorded keys', () => {
  test('are read sentence by sentence, from the first key on; too short ones are left out', () => {
    const [sentence, ...more] = readSentences(KEYS)
    expect(more).toEqual([])
    expect(sentence!.slice(0, 3)).toEqual([
      { at: 0, until: 80, key: 'Shift' },
      { at: 40, until: 130, key: 'h' },
      { at: 200, until: 280, key: 'a' },
    ])
  })

  test('keep mistakes, and leave out keys that cannot be played', () => {
    const keys = readSentences(KEYS)[0]!.map(({ key }) => key)
    expect(keys.slice(-1)).toEqual(['BackSpace'])
  })

  test('have a rhythm: from letter to letter, and how long each was held', () => {
    const all = rhythm(readSentences(KEYS))
    expect(all).toHaveLength(8)
    expect(all[0]).toEqual({ gap: 160, held: 80 })
    expect(all[1]).toEqual({ gap: 100, held: 80 })
  })
})

describe('a folder of recordings', () => {
  test('that is not there is named in one sentence', () => {
    expect(() => recordings('/nowhere')).toThrow(/^no recordings in \/nowhere: .*--traces DIR/)
  })

  test('without a usable recording is refused', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hv-traces-'))
    for (const part of ['mouse', 'keys']) mkdirSync(join(folder, part))
    writeFileSync(join(folder, 'mouse/user1.csv'), HEAD)
    expect(() => recordings(folder)).toThrow(/no usable recording/)
  })
})
