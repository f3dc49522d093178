import { describe, expect, test } from '@jest/globals'
import { dice } from '../../../lab/evaluate/person/dice.mjs'
import { onScreen, outOfSight, placedBy, somewhereOn } from '../../../lab/evaluate/person/on-screen.mjs'
import type { Reach } from '../../../lab/evaluate/person/read-mouse.mjs'
import { carry, densify, nearest } from '../../../lab/evaluate/person/scale-path.mjs'
import { transitions } from '../../../lab/evaluate/person/transitions.mjs'
import { typeText } from '../../../lab/evaluate/person/type-text.mjs'
import { keyboard } from '../../../lab/evaluate/screen/keyboard.mjs'

const bow: Reach = {
  points: [
    { t: 0, x: 0, y: 0 },
    { t: 16, x: 50, y: 20 },
    { t: 32, x: 100, y: 0 },
  ],
  distance: 100,
  duration: 32,
  settle: 50,
  held: 80,
}

describe('a recorded reach', () => {
  test('carried elsewhere begins and ends where it is wanted, its times as recorded', () => {
    const path = carry(bow, { x: 300, y: 400 }, { x: 300, y: 100 })
    expect(path.map(({ t }) => t)).toEqual([0, 16, 32])
    expect(path[0]).toMatchObject({ x: 300, y: 400 })
    expect(path[2]!.x).toBeCloseTo(300)
    expect(path[2]!.y).toBeCloseTo(100)
  })

  test('keeps its shape: a bow to the one side stays a bow to that side, three times as large', () => {
    const [, middle] = carry(bow, { x: 0, y: 0 }, { x: 0, y: 300 })
    expect(middle!.x).toBeCloseTo(-60)
    expect(middle!.y).toBeCloseTo(150)
  })

  test('gets the points a device would have told between two frames, in whole pixels, in order', () => {
    const path = densify(bow.points, 4)
    expect(path.map(({ t }) => t)).toEqual([0, 4, 8, 12, 16, 20, 24, 28, 32])
    expect(path.every(({ x, y }) => Number.isInteger(x) && Number.isInteger(y))).toBe(true)
    expect(path.at(-1)).toEqual({ t: 32, x: 100, y: 0 })
    expect(path.map(({ x }) => x)).toEqual(path.map(({ x }) => x).sort((a, b) => a - b))
  })

  test('a rest of the hand is left a rest, and a mouse that did not move says nothing', () => {
    const path = densify(
      [
        { t: 0, x: 0, y: 0 },
        { t: 400, x: 9, y: 0 },
        { t: 416, x: 9, y: 0 },
      ],
      8,
    )
    expect(path).toEqual([
      { t: 0, x: 0, y: 0 },
      { t: 400, x: 9, y: 0 },
    ])
  })

  test('of several, one of those is taken that are stretched least', () => {
    const lengths = [10, 90, 100, 110, 120, 5000]
    const reaches = lengths.map((distance) => Object.assign({}, bow, { distance }))
    const taken = [0, 0.3, 0.6, 0.99].map((n) => nearest(reaches, 105, () => n)!.distance)
    expect(taken.sort((a, b) => a - b)).toEqual([90, 100, 110, 120])
    expect(() => nearest([], 100, () => 0)).toThrow('no reach')
  })
})

const even = [{ gap: 100, held: 130 }]

describe('typing other words', () => {
  test('keeps the rhythm, overlap included', () => {
    const strokes = typeText('abc', even, dice('a'))
    expect(strokes.map(({ at, until, key }) => [key, at, until])).toEqual([
      ['a', 0, 130],
      ['b', 100, 230],
      ['c', 200, 330],
    ])
  })

  test('a key comes up before it goes down again', () => {
    const [first, second] = typeText('ll', even, dice('a'))
    expect(first!.until).toBeLessThan(second!.at)
  })

  test('Shift is down when a capital is typed, and up when the next letter is not one', () => {
    const [shift, m, a] = typeText('Ma', even, dice('b'))
    expect([shift!.key, m!.key, a!.key]).toEqual(['Shift', 'm', 'a'])
    expect(shift!.at).toBeLessThan(m!.at)
    expect(shift!.until).toBeGreaterThan(m!.at)
    expect(shift!.until).toBeLessThan(a!.at)
  })

  test('every key that goes down comes up, once, later', () => {
    const held = new Set<string>()
    for (const { key, isDown } of transitions(typeText('Anna.Lee@example.com', even, dice('c')))) {
      expect(held.has(key)).toBe(!isDown)
      if (isDown) held.add(key)
      else held.delete(key)
    }
    expect(held).toEqual(new Set())
  })
})

describe('on the screen', () => {
  const layout = {
    places: { send: [100, 200, 80, 40] },
    ratio: 1,
    outer: [180, 30, 1000, 900],
    inner: [1000, 800],
    mozInner: null,
  }

  test('a place on the page is below the bars of the window', () => {
    expect(onScreen(layout, 'send')).toEqual({ left: 280, top: 330, width: 80, height: 40 })
  })

  test('a page zoomed to 200 % is twice as large in the same window', () => {
    expect(onScreen({ ...layout, ratio: 2, inner: [500, 400] }, 'send')).toEqual({
      left: 380,
      top: 530,
      width: 160,
      height: 80,
    })
  })

  test('Firefox says itself where its page begins', () => {
    expect(onScreen({ ...layout, mozInner: [190, 130] }, 'send')).toMatchObject({ left: 290, top: 330 })
  })

  test('a page that tells lies about the screen is placed by its window', () => {
    const lying = { ...layout, ratio: 2, outer: [0, 0, 1000, 800], mozInner: [0, 0] }
    const placed = placedBy(lying, { left: 250, top: 50, width: 1000, height: 885 })
    expect(onScreen(placed, 'send')).toEqual({ left: 350, top: 335, width: 80, height: 40 })
  })

  test.each([
    { top: 200, then: 0 },
    { top: 790, then: 1 },
    { top: -10, then: -1 },
  ])('$then is the way to scroll to something 40 high at $top of 800', ({ top, then }) => {
    expect(outOfSight({ ...layout, places: { send: [100, top, 80, 40] } }, 'send')).toBe(then)
  })

  test('what is not there is named', () => {
    expect(() => onScreen(layout, 'nothing')).toThrow('#nothing')
  })

  test('a hand aims inside, and not always at the same spot', () => {
    const box = { left: 100, top: 100, width: 60, height: 20 }
    const many = dice('aim')
    const spots = Array.from({ length: 200 }, () => somewhereOn(box, many))
    expect(spots.every(({ x, y }) => x > 100 && x < 160 && y > 100 && y < 120)).toBe(true)
    expect(new Set(spots.map(({ x, y }) => `${x} ${y}`)).size).toBeGreaterThan(40)
  })
})

test('dice of the same name fall the same way, from 0 to 1', () => {
  const [one, same, other] = ['mouse 1', 'mouse 1', 'mouse 2'].map((name) => {
    const { next } = dice(name)
    return Array.from({ length: 50 }, next)
  })
  expect(same).toEqual(one)
  expect(other).not.toEqual(one)
  expect(one!.every((n) => n >= 0 && n < 1)).toBe(true)
})

test('a keyboard knows which key types a character, with Shift or without, and which has a name', () => {
  const key = keyboard(
    new Map([
      [38, [0x61, 0x41]],
      [11, [0x32, 0x40]],
      [50, [0xffe1, 0]],
    ]),
  )
  expect(key('a')).toEqual({ keycode: 38, shift: false })
  expect(key('@')).toEqual({ keycode: 11, shift: true })
  expect(key('Shift')).toEqual({ keycode: 50, shift: false })
  expect(() => key('ß')).toThrow('cannot type')
})
