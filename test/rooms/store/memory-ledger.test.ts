import { describe, expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import { memoryLedger } from '../../../src/store/ledger/memory-ledger.ts'
import { anyJti, entry, faultOf, newAttempt, now, random } from '../../support/ledger-contract.ts'

/** A ledger whose clock stands where the test puts it: milliseconds from the start. */
function ledgerAt(capacity?: number, moved?: () => void) {
  const start = Math.floor(now() / 10) * 10_000
  let ms = start
  const ledger = memoryLedger({
    random,
    clock: () => ms,
    ...(capacity === undefined ? {} : { capacity }),
    ...(moved && { onMove: moved }),
  })
  return {
    ledger,
    at: (fromStart: number): void => {
      ms = start + fromStart
    },
    /** A moment, seconds from the start. */
    second: (fromStart: number) => unixSeconds(start / 1000 + fromStart),
  }
}

describe('the memory ledger', () => {
  test('faults when it is full, and never drops an entry to make room', async () => {
    const { ledger } = ledgerAt(3)
    const generation = ledger.generation(anyJti)
    const held = [entry(generation), entry(generation), entry(generation)]
    for (const each of held) expect(await ledger.consume(each)).toBe('first')

    expect(ledger.fullness()).toBe(1)
    await expect(ledger.consume(entry(generation))).rejects.toMatchObject({
      code: 'database-unavailable',
      cause: new Error('the ledger is full: 3 entries'),
      retryAfter: 1,
    })
    for (const each of held) {
      expect(await ledger.consume({ ...each, attempt: newAttempt() })).toBe('taken')
      expect(await ledger.consume(each)).toBe('again')
    }
  })

  test('consumes nothing and issues nothing once it is closed', async () => {
    const { ledger } = ledgerAt()
    const held = entry(ledger.generation(anyJti))
    await ledger.close()
    expect(ledger.fault()).toMatchObject({ code: 'database-unavailable' })
    await expect(ledger.consume(held)).rejects.toMatchObject({ code: 'database-unavailable' })
    expect(() => ledger.generation(anyJti)).toThrow('database-unavailable')
  })

  test('knows when its generation began: at the start of the process, or when the clock was set back', () => {
    const { ledger, at, second } = ledgerAt()
    expect(ledger.beganAt(anyJti)).toBe(second(0))
    at(1500)
    expect(ledger.beganAt(anyJti)).toBe(second(0))
    at(-60_000)
    ledger.generation(anyJti)
    expect(ledger.beganAt(anyJti)).toBe(second(-60))
  })

  // A clock that ran ahead makes entries look old; set back, the tokens live again but the entries are gone.
  test.each([
    { outcome: 'taken', aheadMs: 3_600_000, backMs: 3_575_000 },
    { outcome: 'stale', aheadMs: 3_600_000, backMs: 0 },
  ])(
    'answers $outcome to a spent token when the clock goes to $aheadMs and back to $backMs',
    async (jump) => {
      const { ledger, at, second } = ledgerAt()
      const token = entry(ledger.generation(anyJti), {
        expiresAt: second(3590),
        keepUntil: second(3590),
      })
      expect(await ledger.consume(token)).toBe('first')
      at(jump.aheadMs)
      await ledger.consume(entry(ledger.generation(anyJti)))
      at(jump.backMs)
      expect(await ledger.consume({ ...token, attempt: newAttempt() })).toBe(jump.outcome)
    },
  )

  test('keeps an entry until its ten-second bucket ends, plus the tolerance for clocks set back', async () => {
    const { ledger, at, second } = ledgerAt(2)
    const generation = ledger.generation(anyJti)
    for (const keepUntil of [second(70), second(79)])
      await ledger.consume(entry(generation, { expiresAt: second(60), keepUntil }))
    const next = entry(generation, { expiresAt: second(500), keepUntil: second(560) })
    at(109_999)
    expect(await faultOf(() => ledger.consume(next))).toBe('database-unavailable')
    at(110_000)
    expect(await ledger.consume(next)).toBe('first')
    expect(ledger.fullness()).toBe(0.5)
  })

  describe('whose clock is set back', () => {
    test('by half a minute keeps its generation; by more it begins a new one, once, and reports it', () => {
      let moves = 0
      const { ledger, at } = ledgerAt(undefined, () => moves++)
      at(100_000)
      const first = ledger.generation(anyJti)
      at(70_000)
      expect([ledger.generation(anyJti), moves]).toEqual([first, 0])
      at(69_999)
      const second = ledger.generation(anyJti)
      expect(second).not.toBe(first)
      at(69_000)
      expect([ledger.generation(anyJti), moves]).toEqual([second, 1])
    })

    test('drops the entries of the earlier generation, and keeps those of the new one', async () => {
      const { ledger, at, second } = ledgerAt(1)
      at(100_000)
      const before = entry(ledger.generation(anyJti), {
        expiresAt: second(110),
        keepUntil: second(120),
      })
      expect(await ledger.consume(before)).toBe('first')
      at(0)
      const life = {
        generation: ledger.generation(anyJti),
        expiresAt: second(900),
        keepUntil: second(960),
      }
      expect(await ledger.consume({ ...before, ...life })).toBe('first')
      at(400_000)
      expect(await ledger.consume({ ...before, ...life, attempt: newAttempt() })).toBe('taken')
    })
  })
})
