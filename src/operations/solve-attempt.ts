import type { ChallengeClaims } from '../claims/challenge.ts'
import type { Tokens } from '../claims/tokens.ts'
import { type AddressHash, type Distance, distanceOf } from '../domain/address-hash.ts'
import type { Agents } from '../domain/ports.ts'
import type { AttemptId, UnixSeconds } from '../domain/words.ts'
import type { RequestFacts } from '../score/signals.ts'
import type { SolveRequest } from '../wire.ts'
import { attemptOf } from './attempt.ts'
import { agentOf, type Caller, callerHash } from './caller.ts'

interface Ports {
  readonly tokens: Tokens
  readonly agents?: Agents | undefined
}

/** Who solves a challenge, and how. */
export interface SolveAttempt {
  /** Names the attempt by everything that is judged. */
  readonly attempt: AttemptId
  /** Hash of the address, as it is counted. */
  readonly address: AddressHash | undefined
  /** Hash of the address with the key of the challenge, to compare it with the one that asked. */
  readonly solved: AddressHash | undefined
  /** How far it is from the address that asked for the challenge. */
  readonly distance: Distance
  readonly facts: RequestFacts
  /** The agent that asked for the challenge and solves it, by its name. */
  readonly agent: string | undefined
}

/** Names the attempt, so that signals, headers and addresses cannot be varied until they score. */
export function solveAttempt(
  { tokens, agents }: Ports,
  request: SolveRequest,
  claims: ChallengeClaims,
  { caller, now }: { readonly caller: Caller; readonly now: UnixSeconds },
): SolveAttempt {
  const address = callerHash(caller, tokens)
  // Hashes of two keys always differ: the address is hashed again only where these do.
  const solved = claims.address === address ? address : callerHash(caller, tokens, claims.kid)
  const facts = caller.facts()
  const { name } = agentOf(agents, caller, now)
  // Both requests have to name the agent, so that a challenge that a signed browser obtained is worth nothing to another.
  const agent = name === claims.namedAgent ? name : undefined
  if (agent !== undefined) caller.note({ agent })
  const { challenge, solution, signals, step_up: stepUp, ticket } = request
  const judged = [challenge, solution, signals, stepUp, ticket, solved, facts, agent]
  return {
    attempt: attemptOf(JSON.stringify(judged)),
    address,
    solved,
    distance: distanceOf(claims.address, solved),
    facts,
    agent,
  }
}
