import { describe, expect, test } from '@jest/globals'
import { LIST_KINDS, type ListKind, NOTHING_KNOWN } from '../../../src/domain/network.ts'
import { scoreVisit } from '../../../src/domain/score/score.ts'
import { explain } from '../../../src/domain/score/score.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'

const listed = (...kinds: ListKind[]) => ({ ...NOTHING_KNOWN, lists: kinds.map((kind) => ({ name: kind, kind })) })

/** Somebody who merely tabs through a form: the least that docs/design/risk.md, "The score", lets pass. */
const least = (...kinds: ListKind[]) =>
  scoreVisit({
    signals: { input: { trusted: 4, keys: 4, keyHold: 80 }, page: { visible: 1, focused: 1 } },
    request: { ...CHROMIUM_REQUEST, clientPlatform: undefined },
    units: 256,
    network: listed(...kinds),
  })

const ofNetwork = (...kinds: ListKind[]) =>
  least(...kinds)
    .contributions.map(explain)
    .filter(({ family }) => family === 'network')
    .map(({ name }) => name)

describe('lists of addresses', () => {
  test.each((Object.keys(LIST_KINDS) as ListKind[]).filter((kind) => kind !== 'abuse'))(
    'a person behind %s passes',
    (kind) => {
      expect(least(kind).score).toBeLessThan(least().score)
      expect(least(kind).score).toBeGreaterThanOrEqual(0.5)
    },
  )

  test('a person who is on all of them but the abuse list passes: only the strongest counts', () => {
    expect(ofNetwork('vpn', 'data-centre', 'proxy', 'tor-exit')).toEqual(['tor-exit'])
    expect(least('vpn', 'data-centre', 'proxy', 'tor-exit').score).toBeGreaterThanOrEqual(0.5)
  })

  test("the operator's own list may tip the scales", () => {
    expect(ofNetwork('abuse', 'vpn')).toEqual(['abuse-list', 'vpn'])
    expect(least('abuse').score).toBeLessThan(0.5)
  })

  test('nothing known adds nothing', () => expect(ofNetwork()).toEqual([]))
})
