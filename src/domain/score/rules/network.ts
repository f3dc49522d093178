/**
 * Rules on the lists that hold the address. One contribution of the first four at most, the strongest: an exit of Tor that
 * stands in a data centre is one fact about the visitor, not two.
 */
import { isListed, type ListKind } from '../../network.ts'
import type { ScoreRule, VisitFacts } from '../score-rule.ts'

/** From the strongest on. */
const EXCLUSIVE = ['tor-exit', 'proxy', 'data-centre', 'vpn'] as const satisfies readonly ListKind[]

const strongest = (kind: (typeof EXCLUSIVE)[number]) => {
  return ({ network }: VisitFacts): boolean =>
    network !== undefined && EXCLUSIVE.find((each) => isListed(network, each)) === kind
}

export const NETWORK_RULES: readonly ScoreRule[] = [
  {
    id: 170,
    name: 'tor-exit',
    family: 'network',
    reason: 'network',
    weight: -0.8,
    when: strongest('tor-exit'),
    evidence: 'People who need Tor share few exits with many bots, so it weighs, and still fails nobody alone.',
  },
  {
    id: 171,
    name: 'proxy',
    family: 'network',
    reason: 'network',
    weight: -0.8,
    when: strongest('proxy'),
    evidence:
      'Open and residential proxies are rented by farms; lists of them are often stale, so it fails nobody alone.',
  },
  {
    id: 172,
    name: 'data-centre',
    family: 'network',
    reason: 'network',
    weight: -0.6,
    when: strongest('data-centre'),
    evidence: 'Most scripts run on hosted machines; so do the gateways of whole companies, and most VPNs.',
  },
  {
    id: 173,
    name: 'vpn',
    family: 'network',
    reason: 'network',
    weight: -0.3,
    when: strongest('vpn'),
    evidence: 'Ordinary among people: the least weight.',
  },
  {
    id: 174,
    name: 'abuse-list',
    family: 'network',
    reason: 'network',
    weight: -1.5,
    when: ({ network }) => network !== undefined && isListed(network, 'abuse'),
    evidence: "The operator's own list, of the operator's own experience; the only one that may tip the scales.",
  },
]
