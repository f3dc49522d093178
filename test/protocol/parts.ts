import { siteDirectory } from '../../src/config/sites.ts'
import type { Site } from '../../src/domain/site.ts'
import { seconds, unixSeconds } from '../../src/domain/words.ts'
import { type NetworkFacts, NOTHING_KNOWN } from '../../src/domain/network.ts'
import { history } from '../../src/history/history.ts'
import { memoryCounters } from '../../src/history/memory.ts'
import { memoryLedger } from '../../src/ledger/memory.ts'
import { guesses } from '../../src/limits/guesses.ts'
import { inTurn } from '../../src/limits/admission.ts'
import { memoryLimiter } from '../../src/limits/limits.ts'
import type { Consumable, LogFields, Noted, SolveCounted, Tokens } from '../../src/ports.ts'
import type { Caller } from '../../src/protocol/caller.ts'
import { issueChallenge } from '../../src/protocol/issue-challenge.ts'
import { solveChallenge } from '../../src/protocol/solve-challenge.ts'
import { verifyResponse } from '../../src/protocol/verify-response.ts'
import { keyring, newKey } from '../../src/token/keyring.ts'
import { jwsTokens } from '../../src/token/tokens.ts'
import { keepLog, random } from '../ledger/contract.ts'
import { ORIGIN, SECRET, site, SITEKEY } from '../support/app.ts'
import { proverWith } from '../support/prove.ts'
import { CHROMIUM_REQUEST } from '../support/seen-request.ts'
import { PERSON, work } from '../support/visitor.ts'
import type { SolveRequest, WireSignals } from '../../src/wire.ts'

export const NOW = 1_800_000_000

/** The operations on real parts, in memory, with the order of what they ask for written down. */
export async function operations(
  change: { sites?: readonly Site[]; points?: number; fallbacks?: number; network?: NetworkFacts } = {},
) {
  const { sites = [site()], points = 1000, fallbacks = points, network = NOTHING_KNOWN } = change
  const at = { now: NOW }
  const asked: string[] = []
  const consumed: Consumable[] = []
  const derived: Parameters<Tokens['derive']>[] = []
  const clock = { now: () => unixSeconds(at.now) }
  const rate = { points, per: seconds(60) }
  const log = keepLog()
  const tokens = jwsTokens({ keyring: keyring([newKey(unixSeconds(NOW))]), issuer: 'test', clock })
  const ledger = memoryLedger({ random, clock: () => at.now * 1000 })
  const limiter = memoryLimiter({
    challenge: rate,
    solve: rate,
    siteverify: rate,
    fallback: { ...rate, points: fallbacks },
  })
  const remembered = history(memoryCounters(), { clock, log, everyMs: 5 })
  const noted: Noted[] = []
  const known: (readonly [address: string | undefined, solve?: SolveCounted])[] = []
  const ports = {
    clock,
    random,
    log,
    sites: siteDirectory(sites),
    guesses: guesses(rate, () => at.now * 1000),
    networks: { of: (address: string | undefined) => (address === undefined ? NOTHING_KNOWN : network) },
    tokens: {
      ...tokens,
      derive(...args: Parameters<typeof tokens.derive>) {
        derived.push(args)
        return tokens.derive(...args)
      },
      openChallenge: (...args: Parameters<typeof tokens.openChallenge>) => (
        asked.push('open'),
        tokens.openChallenge(...args)
      ),
      openResponse: (...args: Parameters<typeof tokens.openResponse>) => (
        asked.push('open'),
        tokens.openResponse(...args)
      ),
    },
    ledger: {
      ...ledger,
      consume(entry: Consumable) {
        asked.push('consume')
        consumed.push(entry)
        return ledger.consume(entry)
      },
    },
    history: {
      ...remembered,
      challenged(...args: Parameters<typeof remembered.challenged>) {
        known.push([args[0]])
        return remembered.challenged(...args)
      },
      solved(...args: Parameters<typeof remembered.solved>) {
        known.push([args[0], args[1]])
        return remembered.solved(...args)
      },
      note(what: Noted) {
        noted.push(what)
        remembered.note(what)
      },
    },
    limiter: {
      ...limiter,
      take(...args: Parameters<typeof limiter.take>) {
        asked.push(`limit ${args.join(' ')}`)
        return limiter.take(...args)
      },
    },
  }
  const whole = { ...ports, admission: inTurn(ports.limiter, ports.ledger) }
  return {
    ...whole,
    at,
    asked,
    consumed,
    noted,
    known,
    derived,
    prove: proverWith(() => tokens),
    lines: log.lines,
    issue: issueChallenge(ports),
    solve: solveChallenge(whole),
    verify: verifyResponse(whole),
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
    note: (fields) => void Object.assign(notes, fields),
    notes,
    ...change,
  }
}

/** A challenge with its work done. */
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

/** A response token, as a visitor gets it. */
export async function responseToken(
  on: Operations,
  from = caller(),
  action = 'sign-up',
  cdata?: string,
): Promise<string> {
  return (await on.solve(await solvedChallenge(on, action, cdata), from)).token
}

export { SECRET, SITEKEY, ORIGIN, site }
