/** Challenges that our key sealed and that no ledger of ours knows: when they mean that another ledger is at work. */
import { expect, test } from '@jest/globals'
import { type Jti, unixSeconds } from '../../../src/domain/words.ts'
import { otherLedgers } from '../../../src/ops/other-ledgers.ts'
import { keepLog } from '../../support/ledger-contract.ts'

const START = 1_000_000

/** The finder in a process that started at second 0; each visit comes a minute later from an address of its own. */
function finder() {
  let now = START * 1000
  const log = keepLog()
  const others = otherLedgers({ clock: () => now, log })
  let visits = 0
  return {
    log,
    others,
    at: (second: number) => void (now = (START + second) * 1000),
    visit: ({ issued = 60, address = `address ${visits}`, jti = `jti ${visits}` }: Visit = {}) => {
      visits++
      others.stale({ jti: jti as Jti, issuedAt: unixSeconds(START + issued), address: address ?? undefined })
    },
  }
}
interface Visit {
  readonly issued?: number
  readonly address?: string | null
  readonly jti?: string
}

test.each<{ when: string; found: boolean; visits: readonly Visit[] }>([
  { when: 'three addresses come', found: true, visits: [{}, {}, {}] },
  { when: 'two addresses come', found: false, visits: [{}, {}] },
  {
    when: 'one address comes with nine challenges',
    found: false,
    visits: Array.from({ length: 9 }, () => ({ address: 'one' })),
  },
  {
    when: 'one address comes with ten challenges',
    found: true,
    visits: Array.from({ length: 10 }, () => ({ address: 'one' })),
  },
  {
    when: 'customers present ten tokens',
    found: true,
    visits: Array.from({ length: 10 }, () => ({ address: null })),
  },
  {
    when: 'one address comes again and again with one challenge',
    found: false,
    visits: Array.from({ length: 30 }, () => ({ address: 'one', jti: 'one' })),
  },
  {
    when: 'the challenges are from before this process started',
    found: false,
    visits: Array.from({ length: 30 }, () => ({ issued: -1 })),
  },
  {
    when: 'the challenges are from the moment at which it started',
    found: false,
    visits: Array.from({ length: 30 }, () => ({ issued: 4 })),
  },
])('another ledger is found, $found, when $when', ({ found, visits }) => {
  const { others, log, at, visit } = finder()
  at(61)
  for (const each of visits) visit(each)
  expect(others.problem() !== undefined).toBe(found)
  expect(log.lines).toHaveLength(found ? 1 : 0)
})

test('it is logged once, and is over a minute after the last such visit', () => {
  const { others, log, at, visit } = finder()
  at(61)
  for (let i = 0; i < 50; i++) visit()
  expect(log.lines).toEqual([
    expect.stringMatching(/^error another ledger is at work .*name one redis for all of them/),
  ])
  at(121)
  expect(others.problem()).toMatch(/uses another ledger/)
  at(122)
  expect(others.problem()).toBeUndefined()
})

test('visits that are more than a minute apart are not counted together', () => {
  const { others, at, visit } = finder()
  for (const second of [61, 122, 183, 244]) {
    at(second)
    visit()
  }
  expect(others.problem()).toBeUndefined()
})

test('a generation of our own that moved is no other ledger', () => {
  const { others, at, visit } = finder()
  at(61)
  others.noteMove()
  for (let i = 0; i < 30; i++) visit()
  expect(others.problem()).toBeUndefined()
  at(80)
  for (let i = 0; i < 3; i++) visit({ issued: 67 })
  expect(others.problem()).toBeDefined()
})
