import type { ChallengeClaims } from '../claims/challenge.ts'
import { powAt } from '../work/pow.ts'
import { Fault } from '../domain/codes.ts'
import { RESERVED_FROM } from '../domain/fullness.ts'
import { levelOf, stepLevel, workBudget } from '../work/difficulty.ts'
import { powKey } from '../work/solution.ts'
import { proofVersion, putProofs } from '../proof/proof.ts'
import { allowsAction, allowsHostname, isAction, parseOrigin, type Site } from '../domain/site.ts'
import { type Action, type Jti, later, seconds, type UnixSeconds } from '../domain/words.ts'
import type {
  Agents,
  Clock,
  History,
  Ledger,
  Limiter,
  Networks,
  Random,
  Sites,
} from '../domain/ports.ts'
import { proofSeeds, type Tokens } from '../claims/tokens.ts'
import type { ChallengeAnswer, ChallengeRequest } from '../wire.ts'
import { agentOf, type Caller, callerHash, siteActionOf, whoIs } from './caller.ts'
import { ruleFor, workUnder } from './rule-for.ts'
import { countsAsTry, type SecondChance, secondChance } from './second-chance.ts'

interface Ports {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly ledger: Ledger
  readonly limiter: Limiter
  readonly history: History
  readonly clock: Clock
  readonly random: Random
  readonly networks: Networks
  /** If omitted: none are configured. */
  readonly agents?: Agents | undefined
}

/** Characters of a hostname in the log; a refused one may have up to 253, all printable ASCII. */
const LONGEST_NOTED = 100

export type IssueChallenge = (request: ChallengeRequest, caller: Caller) => Promise<ChallengeAnswer>

/**
 * room in the store → limit → site → hostname → action → ticket → algorithm → history → work → sign.
 *
 * Everything that must not change later is signed here: site, origin, action, difficulty, the token's lifetime, the ledger's
 * generation, the address and named agent of the request, and the version of the browser proof, whose tasks are derived from
 * the id. A ticket is only opened here; the solution consumes it.
 */
export function issueChallenge(ports: Ports): IssueChallenge {
  const { sites, tokens, ledger, limiter, history, clock, random, networks, agents } = ports
  const sources = { sites, chance: secondChance(ports) }
  return async (request, caller) => {
    const now = clock.now()
    if (ledger.fullness() >= RESERVED_FROM) throw noRoom()
    const address = callerHash(caller, tokens)
    const who = whoIs(address)
    const isCrowded = await limiter.challenge(who)
    const { site, origin, action, algorithm, ticket } = await check(sources, request, caller, now)
    const near = await history.near(address, now)
    // The budgets of a right solution are checked before a visitor works for it. Graphics cards are fast at `pb.1`.
    if (algorithm === 'pb.1') await limiter.check('fallback', who, site.sitekey)
    if (ticket && countsAsTry(site, ticket.sealed.decision))
      await limiter.check('ticket', who, site.sitekey)

    const siteAction = siteActionOf(site, action)
    const agent = agentOf(agents, caller, now).name
    if (agent !== undefined) caller.note({ agent })
    const network = networks.lookUp(caller.address)
    const rule = ruleFor(site, caller, { action, network, agent, at: now })
    if (rule) caller.note({ rule: rule.name })
    const work = workUnder(rule, site.work)
    const level = ticket
      ? stepLevel(work)
      : levelOf(work, near, history.load(siteAction, now), isCrowded)
    const patience = workBudget(work.humanCost, level)

    const jti = random.id() as Jti
    const budget = Math.min(patience, site.challengeLifetime * 500)
    const claims: Omit<ChallengeClaims, 'kid'> = {
      jti,
      sitekey: site.sitekey,
      origin: origin.text,
      hostname: origin.hostname,
      action,
      cdata: request.cdata,
      generation: ledger.generation(jti),
      issuedAt: now,
      expiresAt: later(now, site.challengeLifetime),
      tokenLifetime: site.tokenLifetime,
      pow: powAt(level, algorithm, budget),
      address,
      proof: proofVersion(request.proof),
      ...(ticket && { step: ticket.jti }),
      namedAgent: agent,
    }
    caller.note({ jti: claims.jti, action: claims.action, level })
    // The key that signs: it is asked for before the signature is waited for, because a reload may change it meanwhile.
    const kid = tokens.activeKid(now)
    const proof = claims.proof && putProofs(proofSeeds(tokens, { ...claims, kid }), claims.proof)
    const challenge = await tokens.signChallenge(claims)
    return {
      challenge,
      work: claims.pow,
      key: [...powKey(challenge)],
      ...(proof && { proof }),
      expires_in: site.challengeLifetime,
    }
  }
}

/** site → hostname → action → ticket → algorithm: the checks that need no store. @throws {Fault} */
async function check(
  { sites, chance }: { readonly sites: Sites; readonly chance: SecondChance },
  request: ChallengeRequest,
  caller: Caller,
  now: UnixSeconds,
) {
  const site = sites.bySitekey(request.sitekey)
  if (!site) throw Fault.of('invalid-input-sitekey')
  caller.note({ sitekey: site.sitekey })

  const origin = parseOrigin(caller.origin)
  caller.note({ hostname: origin?.hostname.slice(0, LONGEST_NOTED) ?? '(none)' })
  if (!origin || !allowsHostname(site, origin.hostname)) throw Fault.of('hostname-not-allowed')

  const action = actionOf(request, site)
  const bound = { hostname: origin.hostname, action }
  const ticket =
    request.ticket === undefined
      ? undefined
      : await chance.open(request.ticket, site, bound, { caller, now })
  const algorithm = request.algorithm ?? 's32.1'
  if (algorithm === 'pb.1' && !site.work.fallback) throw Fault.of('bad-request')
  return { site, origin, action, algorithm, ticket }
}

/** Returns the action that a form asks for, or the site's default. @throws {Fault} */
function actionOf({ action: asked }: ChallengeRequest, site: Site): Action {
  const action = asked ?? site.defaultAction ?? ''
  if (!isAction(action)) throw Fault.of('bad-request')
  if (!allowsAction(site, action)) throw Fault.of('action-not-allowed')
  return action
}

/** Keeps the rest of the store for visitors who already have a challenge or a token. */
const noRoom = (): Fault =>
  new Fault('database-unavailable', {
    cause: new Error('the ledger has no room for new challenges'),
    retryAfter: seconds(1),
  })
