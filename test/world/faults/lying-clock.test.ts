/** Single use while the server's clock is wrong for a moment: a real Redis under a clock that the test sets. */
import { afterAll, expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import {
  anyJti,
  entry,
  eventually,
  newAttempt,
  now,
  random,
} from '../../support/ledger-contract.ts'
import { acceptedAgain, type LedgerOnRedis, openLedger } from '../../support/ledger-on-redis.ts'
import { startLyingRedis } from '../../support/lying-clock/clock.ts'

const redis = await startLyingRedis()
afterAll(() => redis.remove())

/** Tokens that are spent before the clock lies, and presented again after it. */
const TOKENS = 40

interface Blink {
  /** Milliseconds that the clock is ahead, one after the other; negative: behind. */
  readonly ahead: readonly number[]
  /** Milliseconds that each lasts. */
  readonly forMs: number
  /** How many instances watch the ledger meanwhile. */
  readonly watched: number
}

const MINUTE = 60_000
const AHEAD = {
  minute: MINUTE,
  'ten minutes': 10 * MINUTE,
  hour: 60 * MINUTE,
  day: 1440 * MINUTE,
  year: 525_600 * MINUTE,
}
const FOR_MS = [10, 60, 120, 500, 5000]
const WATCHED = [2, 1, 0]

/** Every blink: 195 of them, with those back and those ahead and back. */
const ALL_BLINKS: readonly Blink[] = WATCHED.flatMap((watched) =>
  FOR_MS.flatMap((forMs) =>
    Object.values(AHEAD)
      .flatMap((ms) => (forMs < 5000 ? [[ms], [-ms], [ms, -ms]] : [[ms]]))
      .map((ahead) => ({ ahead, forMs, watched })),
  ),
)

/** The blinks that found the fault, and one of each other kind. */
const SOME_BLINKS: readonly Blink[] = [
  ...WATCHED.map((watched) => ({ ahead: [AHEAD.hour], forMs: 60, watched })),
  ...WATCHED.map((watched) => ({ ahead: [AHEAD.year], forMs: 500, watched })),
  { ahead: [AHEAD.minute], forMs: 120, watched: 2 },
  { ahead: [AHEAD.day], forMs: 10, watched: 2 },
  { ahead: [-AHEAD.hour], forMs: 120, watched: 2 },
  { ahead: [AHEAD.hour, -AHEAD.hour], forMs: 120, watched: 1 },
]

const BLINKS = process.env['HV_FAULTS'] === 'ci' ? SOME_BLINKS : ALL_BLINKS

const nameOf = ({ ahead, forMs, watched }: Blink): string =>
  `${ahead.map((ms) => `${ms / MINUTE} min`).join(', then ')} for ${forMs} ms, watched by ${watched} instances`

async function openInstance(keyPrefix: string): Promise<LedgerOnRedis> {
  const made = openLedger({ url: redis.url, keyPrefix })
  await eventually(() => made.ledger.generation(anyJti), 10_000)
  return made
}
const closeAll = (instances: readonly LedgerOnRedis[]) =>
  Promise.all(instances.map(({ close }) => close()))

/**
 * Spends tokens, lets the clock lie, and presents every token again on every instance.
 *
 * @returns how many were accepted a second time, and after how many milliseconds a fresh challenge could be consumed.
 */
async function blinkAt(blink: Blink) {
  const keyPrefix = random.id().replaceAll(/\W/g, '')
  const watching = async (): Promise<LedgerOnRedis[]> =>
    Promise.all(Array.from({ length: blink.watched || 2 }, () => openInstance(keyPrefix)))
  let instances = await watching()
  const generation = instances[0]!.ledger.generation(anyJti)
  // Some live for the shortest time, some for the longest.
  const tokens = Array.from({ length: TOKENS }, (_, i) =>
    entry(generation, {
      keepUntil: unixSeconds(now() + 90 + 15 * i),
      expiresAt: unixSeconds(now() + 60 + 15 * i),
    }),
  )
  for (const token of tokens) expect(await instances[0]!.ledger.consume(token)).toBe('first')

  if (blink.watched === 0) {
    await closeAll(instances)
    instances = []
  }
  for (const ahead of blink.ahead) await redis.blink(ahead, blink.forMs)
  const rightAt = performance.now()
  if (instances.length === 0) instances = await watching()

  let twice = 0
  for (const { ledger } of instances) twice += await acceptedAgain(ledger, tokens)
  await eventually(async () => {
    const { ledger } = instances[0]!
    expect(await ledger.consume(entry(ledger.generation(anyJti)))).toBe('first')
  })
  const freshAfterMs = performance.now() - rightAt
  await closeAll(instances)
  return { twice, freshAfterMs }
}

/** The same with entries that Redis expires by itself. @returns how many were accepted a second time. */
async function blinkAtExpiringEntries(ahead: number, forMs: number): Promise<number> {
  const prefix = `{${random.id()}}:`
  const spend = async (id: number): Promise<boolean> =>
    (await redis.cli('SET', `${prefix}t:${id}`, newAttempt(), 'NX', 'PX', '700000')) === 'OK'
  const ids = Array.from({ length: TOKENS }, (_, i) => i)
  for (const id of ids) expect(await spend(id)).toBe(true)
  await redis.blink(ahead, forMs)
  let twice = 0
  for (const id of ids) twice += Number(await spend(id))
  return twice
}

test('the control: where Redis expires entries, an hour ahead for half a second accepts tokens twice', async () => {
  expect(await blinkAtExpiringEntries(3_600_000, 500)).toBeGreaterThan(0)
})

test.each(BLINKS.map((blink) => [nameOf(blink), blink] as const))(
  'nothing is accepted twice, and a fresh challenge works within 3 s: %s',
  async (_name, blink) => {
    const { twice, freshAfterMs } = await blinkAt(blink)
    expect(twice).toBe(0)
    expect(freshAfterMs).toBeLessThan(3000)
  },
)
