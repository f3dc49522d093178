import type { Site } from '../../../src/domain/site.ts'
import { seconds } from '../../../src/domain/words.ts'
import { type NetworkFacts, NOTHING_KNOWN } from '../../../src/domain/network.ts'
import { budgetLimiter } from '../../../src/store/limits/budget-limiter.ts'
import { memoryLimits } from '../../../src/store/limits/limit-store.ts'
import type { LogFields } from '../../../src/domain/observing.ts'
import type { Agents, Consumable, VisitCharge, VisitCounted } from '../../../src/domain/ports.ts'
import type { Caller } from '../../../src/operations/caller.ts'
import { issueChallenge } from '../../../src/operations/issue-challenge.ts'
import { type SolveChallenge, solveChallenge } from '../../../src/operations/solve-challenge.ts'
import { verifyResponse } from '../../../src/operations/verify-response.ts'
import { everyBudget } from '../../support/ledger-on-redis.ts'
import { keepLog } from '../../support/ledger-contract.ts'
import { memoryParts, ORIGIN, SECRET, site, SITEKEY } from '../../support/app.ts'
import { proverWith } from '../../support/prove.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'
import { PERSON, work } from '../../support/visitor.ts'
import type { SolveAnswer, SolveRequest, TicketAnswer, WireSignals } from '../../../src/wire.ts'

export const NOW = 1_800_000_000

/** The operations on real parts, in memory, with the order of what they ask for written down. */
export async function operations(
  change: {
    sites?: readonly Site[]
    points?: number
    tickets?: number
    network?: NetworkFacts
    agents?: Agents
  } = {},
) {
  const {
    sites = [site()],
    points = 1000,
    tickets = points,
    network = NOTHING_KNOWN,
    agents,
  } = change
  const at = { now: NOW }
  const asked: string[] = []
  const consumed: Consumable[] = []
  const log = keepLog()
  const parts = memoryParts(sites, () => at.now * 1000, log)
  const { tokens, ledger, history: remembered } = parts
  const budgets = { ...everyBudget(points, 60), ticket: { points: tickets, per: seconds(60) } }
  const limiter = budgetLimiter(memoryLimits(), budgets, undefined, () => at.now * 1000)
  const charged: (readonly [who: string, charge: VisitCharge])[] = []
  const known: (readonly [address: string | undefined, visit?: VisitCounted])[] = []
  // What is asked of a port is noted before it is done.
  const openChallenge: typeof tokens.openChallenge = (...of) => {
    asked.push('open')
    return tokens.openChallenge(...of)
  }
  const openResponse: typeof tokens.openResponse = (...of) => {
    asked.push('open')
    return tokens.openResponse(...of)
  }
  const consume: typeof ledger.consume = (of) => {
    asked.push('consume')
    consumed.push(of)
    return ledger.consume(of)
  }
  const near: typeof remembered.near = (...of) => {
    known.push([of[0]])
    return remembered.near(...of)
  }
  const solved: typeof remembered.solved = (...of) => {
    known.push([of[0], of[1]])
    return remembered.solved(...of)
  }
  const take: typeof limiter.take = (...of) => {
    asked.push(`limit ${of.join(' ')}`)
    return limiter.take(...of)
  }
  const junk: typeof limiter.junk = (...of) => {
    asked.push(`limit junk ${of.join(' ')}`)
    return limiter.junk(...of)
  }
  const challenge: typeof limiter.challenge = (who) => {
    asked.push(`limit challenge ${who}`)
    return limiter.challenge(who)
  }
  const check: typeof limiter.check = (...of) => {
    asked.push(`check ${of.join(' ')}`)
    return limiter.check(...of)
  }
  const visit: typeof limiter.visit = (...of) => {
    asked.push('visit')
    charged.push(of)
    return limiter.visit(...of)
  }
  const ports = {
    ...parts,
    agents,
    networks: {
      lookUp: (address: string | undefined) => (address === undefined ? NOTHING_KNOWN : network),
    },
    tokens: { ...tokens, openChallenge, openResponse },
    ledger: { ...ledger, consume },
    history: { ...remembered, near, solved },
    limiter: { ...limiter, challenge, take, junk, check, visit },
  }
  return {
    ...ports,
    at,
    asked,
    consumed,
    charged,
    known,
    prove: proverWith(() => tokens),
    lines: log.lines,
    issue: issueChallenge(ports),
    // A ticket replaces the token if the site is configured so.
    solve: solveChallenge(ports).solve as (
      ...asked: Parameters<SolveChallenge>
    ) => Promise<SolveAnswer & TicketAnswer>,
    verify: verifyResponse(ports),
  }
}

export type Operations = Awaited<ReturnType<typeof operations>>

export interface NotedCaller extends Caller {
  readonly notes: LogFields
}

/** A visitor's browser, or a customer's server; a test changes one thing. */
export function caller(change: Partial<Caller> = {}): NotedCaller {
  const notes: Record<string, unknown> = {}
  return {
    address: '203.0.113.7',
    origin: ORIGIN,
    facts: () => CHROMIUM_REQUEST,
    signed: () => undefined,
    note: (fields) => void Object.assign(notes, fields),
    notes,
    ...change,
  }
}

export async function solvedChallenge(
  on: Operations,
  action = 'sign-up',
  cdata?: string,
  algorithm?: 'pb.1',
): Promise<SolveRequest> {
  const request = { sitekey: SITEKEY, action, cdata, proof: 1, algorithm }
  const { challenge, work: asked } = await on.issue(request as never, caller())
  const signals = { ...PERSON, proof: await on.prove(challenge) } as WireSignals
  return { challenge, solution: work(challenge, asked), signals }
}

export async function responseToken(
  on: Operations,
  from = caller(),
  action = 'sign-up',
  cdata?: string,
): Promise<string> {
  return (await on.solve(await solvedChallenge(on, action, cdata), from)).token
}

export { SECRET, SITEKEY, ORIGIN, site }
