import { describe, expect, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { windows } from '../../../src/limits/windows.ts'

function counted(points: number, capacity: number) {
  let ms = 5_000
  const on = windows({ points, per: seconds(60) }, () => ms, capacity)
  return {
    on,
    pass: (by: number) => void (ms += by),
    count: (...who: string[]) => who.forEach((each) => on.count(each)),
    waits: (...who: string[]) => who.map((each) => on.wait(each)),
  }
}

describe('windows', () => {
  test('are used up by as many counts as the rate has points', () => {
    const { count, waits } = counted(2, 10)
    expect(waits('a')).toEqual([undefined])
    count('a')
    expect(waits('a')).toEqual([undefined])
    count('a')
    expect(waits('a', 'b')).toEqual([60, undefined])
  })
  test('end 60 s after their first count, not their last, and say so in whole seconds, at least one', () => {
    const { count, waits, pass } = counted(2, 10)
    count('a')
    pass(59_000)
    count('a')
    expect(waits('a')).toEqual([1])
    pass(999)
    expect(waits('a')).toEqual([1])
    pass(1)
    expect(waits('a')).toEqual([undefined])
    // A new one, of a new length.
    count('a', 'a')
    expect(waits('a')).toEqual([60])
  })
  test('are so many at the most: the one that began first goes, and those that are open go on', () => {
    const { count, waits } = counted(2, 2)
    count('a', 'b', 'a', 'b', 'c')
    expect(waits('a', 'b', 'c')).toEqual([undefined, 60, undefined])
    count('c', 'b')
    expect(waits('b', 'c')).toEqual([60, 60])
  })
  test('that are over make room, and none that is open goes for them', () => {
    const { count, waits, pass } = counted(1, 3)
    count('a', 'b')
    pass(30_000)
    count('c')
    pass(30_000)
    count('d', 'e')
    expect(waits('a', 'b', 'c', 'd', 'e')).toEqual([undefined, undefined, 30, 60, 60])
  })
  test('take back what was counted, down to nothing, and nothing of a caller they do not know', () => {
    const { on, count, waits } = counted(2, 10)
    count('a', 'a')
    on.giveBack('b')
    expect(waits('a')).toEqual([60])
    for (let i = 0; i < 5; i++) on.giveBack('a')
    count('a')
    expect(waits('a')).toEqual([undefined])
    count('a')
    expect(waits('a')).toEqual([60])
  })
})
