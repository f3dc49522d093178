import type { Config } from '../config/config.ts'
import type { ChallengeClaims } from '../domain/challenge.ts'
import type { ResponseClaims } from '../domain/response.ts'
import { explain } from '../domain/score/score.ts'
import { isExpired } from '../domain/time.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { peek } from '../ledger/peek.ts'
import { type RedisLink, redisLink } from '../redis/link.ts'
import { command, nowOf } from './command.ts'
import { CONFIG, JSON_ALWAYS } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import { openToken } from './open-token.ts'
import { settings } from './settings.ts'

const nothing = (): void => {}
/** What matters of the link is in the answer. */
const QUIET = { info: nothing, warn: nothing, error: nothing }

/** `hv token`: what a token says, for somebody who holds the keys. */
export const token = command(
  {
    name: 'token',
    summary: 'opens a token: its claims, and whether it would be accepted',
    about: `Opens a challenge token or a response token with the configuration's keyring, prints its claims as JSON, and says
whether it would still be accepted. Nothing is consumed.`,
    operands: ['TOKEN'],
    options: { ...CONFIG, ...JSON_ALWAYS },
    examples: ['hv token eyJhbGciOi…'],
    refusal: 'it would not be accepted, or it is not ours',
    consequence: 'no token was opened',
  },
  async ({ config: file }, io, [text = '']) => {
    const config = settings(file, io)
    const now = nowOf(io)
    const claims = await openToken(text, config, now)
    if (!claims) {
      io.err('not a token of this keyring and deployment, or altered')
      return EXIT.problems
    }
    io.progress?.('asking the ledger')
    const verdict = await wouldBe(claims, now, config)
    io.out(JSON.stringify({ ...shown(claims), would_be: verdict }, undefined, 2))
    return verdict.startsWith('accepted') ? EXIT.done : EXIT.problems
  },
)

/** As far as can be known without consuming it. */
async function wouldBe(
  claims: ChallengeClaims | ResponseClaims,
  now: UnixSeconds,
  { redis, ledger, sites }: Config,
): Promise<string> {
  if (!sites.some(({ sitekey }) => sitekey === claims.sitekey)) return 'refused: its site is not configured'
  if (isExpired(claims.expiresAt, now, 0)) return 'refused: expired'
  if (!('sealed' in claims)) return 'accepted by solve, once it is solved, if its ledger generation is still in force'
  if (!redis) return 'accepted, unless it was consumed: the embedded ledger is in the memory of another process'
  let link: RedisLink | undefined
  try {
    link = redisLink(redis, { log: QUIET, partitions: ledger.partitions })
    const entry = await peek(link, claims)
    if (entry === 'taken') return 'refused: already consumed'
    return entry === 'stale' ? 'refused: of another ledger generation' : 'accepted, if action, remoteip and score pass'
  } catch {
    return 'unknown: the ledger cannot be reached, so nobody would accept it now'
  } finally {
    await link?.close()
  }
}

function shown(claims: ChallengeClaims | ResponseClaims): object {
  if (!('sealed' in claims)) return { kind: 'challenge', ...claims }
  const { sealed, ...readable } = claims
  const { decision, address } = sealed
  const contributions = decision.contributions.map(explain)
  return {
    kind: 'response',
    ...readable,
    decision: { ...decision, contributions },
    address_family: address?.family ?? null,
  }
}
