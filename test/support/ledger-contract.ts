import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import { type AttemptId, type Generation, type Jti, unixSeconds } from '../../src/domain/words.ts'
import type { Log } from '../../src/domain/observing.ts'
import type { Consumable, Consumption, Ledger, Random } from '../../src/domain/ports.ts'

export const random: Random = { id: () => randomBytes(16).toString('base64url') }
export const newJti = (): Jti => random.id() as Jti
/** For a ledger of one partition, where every id lies in the same one. */
export const anyJti: Jti = newJti()
export const newAttempt = (): AttemptId => random.id() as AttemptId
export const now = (): number => Math.floor(Date.now() / 1000)
export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

/** A genuine response token's entry; a test changes one thing. */
export function entry(generation: Generation, change: Partial<Consumable> = {}): Consumable {
  return {
    kind: 'response',
    jti: newJti(),
    generation,
    attempt: newAttempt(),
    expiresAt: unixSeconds(now() + 120),
    keepUntil: unixSeconds(now() + 240),
    ...change,
  }
}

export interface Lines extends Log {
  readonly lines: string[]
}

/** A log that can be read again, as it would be written. */
export function keepLog(): Lines {
  const lines: string[] = []
  const keep =
    (level: string) =>
    (message: string, fields: object = {}): void =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  return { lines, info: keep('info'), warn: keep('warn'), error: keep('error') }
}

/** Waits until something no longer throws. @throws {Error} the last one, after `ms`. */
export async function eventually<T>(ask: () => T | Promise<T>, ms = 30_000): Promise<T> {
  for (const end = Date.now() + ms; ; await sleep(10)) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}

/** The code a call faults with; `none` when it does not. */
export async function faultOf(call: () => unknown): Promise<string> {
  try {
    await call()
    return 'none'
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

/** What every ledger promises, whatever it is made of. */
export function ledgerContract(name: string, make: () => Promise<Ledger>): void {
  describe(`the ${name} ledger`, () => {
    let ledger: Ledger

    /** A genuine token's entry, in the generation of its partition. */
    const fresh = (change: Partial<Consumable> = {}): Consumable => {
      const jti = newJti()
      return entry(ledger.generation(jti), { jti, ...change })
    }

    beforeAll(async () => {
      ledger = await make()
      await eventually(() => ledger.generation(anyJti))
    })

    test.each(['response', 'challenge'] as const)(
      'gives a %s to the first attempt, and to no other',
      async (kind) => {
        const first = fresh({ kind })
        expect(await ledger.consume(first)).toBe('first')
        expect(await ledger.consume({ ...first, attempt: newAttempt() })).toBe('taken')
        expect(await ledger.consume({ ...first, attempt: newAttempt() })).toBe('taken')
      },
    )

    test('distinguishes a repeat from the first attempt, also after another one was refused', async () => {
      const first = fresh()
      const outcomes = [
        await ledger.consume(first),
        await ledger.consume(first),
        await ledger.consume({ ...first, attempt: newAttempt() }),
        await ledger.consume(first),
      ]
      expect(outcomes).toEqual(['first', 'again', 'taken', 'again'])
    })

    test('gives one of 200 concurrent attempts the token', async () => {
      const first = fresh()
      const attempts = Array.from({ length: 200 }, () =>
        ledger.consume({ ...first, attempt: newAttempt() }),
      )
      const outcomes = await Promise.all(attempts)
      expect(outcomes.filter((outcome) => outcome === 'first')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(199)
    })

    test('keeps a challenge and the tokens minted for it apart, though they share one id', async () => {
      const challenge = fresh({ kind: 'challenge' })
      expect(await ledger.consume(challenge)).toBe('first')
      expect(await ledger.consume({ ...challenge, kind: 'response', attempt: newAttempt() })).toBe(
        'first',
      )
    })

    test('finds an entry by id, kind and until when it is kept: passes share some of their entries', async () => {
      const pass = fresh({ kind: 'pass' })
      const later = unixSeconds(pass.keepUntil + 3600)
      expect(await ledger.consume(pass)).toBe('first')
      expect(await ledger.consume({ ...pass, keepUntil: later })).toBe('first')
      for (const keepUntil of [pass.keepUntil, later])
        expect(await ledger.consume({ ...pass, keepUntil, attempt: newAttempt() })).toBe('taken')
    })

    const another = { generation: random.id() as Generation }
    const ended = { expiresAt: unixSeconds(now() - 60) }
    test.each([
      { outcome: 'stale', when: 'the token is of another generation', change: another },
      {
        outcome: 'stale',
        when: 'the token names no generation',
        change: { generation: '' as Generation },
      },
      { outcome: 'expired', when: 'the token is over since a minute', change: ended },
      {
        outcome: 'first',
        when: 'the token has a minute left',
        change: { expiresAt: unixSeconds(now() + 60) },
      },
      {
        outcome: 'stale',
        when: 'the token is over and of another generation',
        change: { ...another, ...ended },
      },
    ])('answers $outcome when $when', async ({ outcome, change }) => {
      expect(await ledger.consume(fresh(change))).toBe(outcome)
    })

    test('refuses a token from the second of its expiry, by its own clock', async () => {
      const expiresAt = unixSeconds(now() + 2)
      const seen: {
        readonly outcome: Consumption
        readonly before: number
        readonly after: number
      }[] = []
      // A busy machine may sleep over the moment; then one call after it must do.
      const over = () => seen.at(-1)?.outcome === 'expired' || Date.now() > expiresAt * 1000 + 5000
      while (Date.now() < expiresAt * 1000 + 60 || !over()) {
        const before = Date.now()
        const outcome = await ledger.consume(fresh({ expiresAt }))
        seen.push({ outcome, before, after: Date.now() })
        await sleep(3)
      }
      const wrong = seen.filter(
        ({ outcome, before, after }) =>
          (outcome === 'first' && before >= expiresAt * 1000) ||
          (outcome === 'expired' && after < expiresAt * 1000),
      )
      expect(wrong).toEqual([])
      expect(new Set(seen.map(({ outcome }) => outcome))).toEqual(new Set(['first', 'expired']))
    })

    test('remembers an entry beyond the expiry of the token that made it', async () => {
      // One challenge, two tokens: keeping only until the first one's expiry re-admitted 300 of 300.
      const first = fresh({ expiresAt: unixSeconds(now() + 1), keepUntil: unixSeconds(now() + 30) })
      expect(await ledger.consume(first)).toBe('first')
      await sleep(2100)
      const second = { ...first, attempt: newAttempt(), expiresAt: unixSeconds(now() + 20) }
      expect(await ledger.consume(second)).toBe('taken')
    })

    test('keeps its generation from call to call', async () => {
      await ledger.probe()
      const generation = ledger.generation(anyJti)
      await sleep(600)
      expect(ledger.generation(anyJti)).toBe(generation)
      expect(generation).toMatch(/^[A-Za-z0-9_-]{22}$/)
    })
  })
}
