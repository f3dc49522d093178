/** Hands of people as the widget counts them: what each scores by its hands alone. Programs: `npm run evaluate`. */
import { describe, expect, test } from '@jest/globals'
import { byFrames } from '../../../lab/evaluate/hands/figures.mjs'
import { handOf } from '../../../lab/evaluate/hands/hand.mjs'
import { SENTENCES } from '../../../lab/evaluate/hands/sentences.mjs'
import type { Stroke } from '../../../lab/evaluate/hands/typing.mjs'
import { scoreVisit } from '../../../src/score/score.ts'
import type { Signals } from '../../../src/score/signals.ts'
import { watchKeys } from '../../../widget/src/signals/keys.ts'
import { isBalancedReach } from '../../../widget/src/signals/balanced-reach.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'

type Input = NonNullable<Signals['input']>
type Way = readonly { t: number; x: number; y: number }[]

function shapes(ways: readonly Way[]): Input {
  const seen = ways.map((way) =>
    isBalancedReach(way.map(({ t, x, y }) => ({ at: t, x: Math.round(x), y: Math.round(y) }))),
  )
  return {
    presses: ways.length,
    reaches: seen.filter((each) => each !== undefined).length,
    balanced: seen.filter(Boolean).length,
  }
}

function rhythm(strokes: readonly Stroke[]): Input {
  const keys = watchKeys()
  const events = strokes.flatMap(({ at, until, key }, i) => [
    { type: 'keydown', timeStamp: at + 1, code: `${key}${i}`, key },
    { type: 'keyup', timeStamp: until + 1, code: `${key}${i}`, key },
  ])
  for (const event of events.sort((a, b) => a.timeStamp - b.timeStamp))
    keys.see({ ...event } as unknown as KeyboardEvent)
  return keys.summary()
}

/** A visit through the X server whose hands are these: all else is a person's. */
function scoreOf({
  ways = [],
  strokes = [],
}: {
  ways?: readonly Way[]
  strokes?: readonly Stroke[]
}): number {
  const hand = {
    ...(ways.length && { ...shapes(ways), moves: 150, coalesced: 100 }),
    ...rhythm(strokes),
  }
  const trusted = 20 + (hand.moves ?? 0) + (hand.presses ?? 0) + 2 * (hand.keys ?? 0)
  const signals: Signals = {
    input: { ...hand, trusted, timed: trusted - 10, samePhase: 100 },
    page: { visible: 1, focused: 1 },
    environment: { placed: 1, engine: 1 },
  }
  return scoreVisit({ signals, request: CHROMIUM_REQUEST, units: 18_432 }).score
}

describe('people pass by their hands', () => {
  const hands = Array.from({ length: 200 }, (_, i) => handOf(`recorded ${i}`))
  const place = (i: number) => ({ x: 700 + 350 * Math.cos(i * 2), y: 450 + 250 * Math.sin(i * 3) })

  test('each five reaches of each hand, with some room', () => {
    for (const hand of hands) {
      const ways = Array.from(
        { length: 10 },
        (_, i) => byFrames(hand.reach(place(i), place(i + 1))).points,
      )
      for (const five of [ways.slice(0, 5), ways.slice(5)])
        expect(scoreOf({ ways: five })).toBeGreaterThanOrEqual(0.6)
    }
  })

  test('each two sentences of each typist, with the keyboard alone', () => {
    for (const hand of hands)
      for (const i of [0, 2, 4]) {
        const [first, second] = [hand.type(SENTENCES[i]!), hand.type(SENTENCES[i + 1]!)]
        const end = first.at(-1)!.until + 2000
        const later = second.map(({ at, until, key }) => ({
          at: at + end,
          until: until + end,
          key,
        }))
        const strokes = [...first, ...later].filter(({ key }) => key !== 'Shift')
        expect(scoreOf({ strokes })).toBeGreaterThanOrEqual(0.52)
      }
  })
})
