import { randomBytes } from 'node:crypto'
import type { ResponseClaims } from '../../../src/claims/response.ts'
import { type Jti, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { sleep } from '../../support/process.ts'
import { tokensWithFile } from '../../support/prove.ts'
import { type Ask, type post, token } from '../../support/visitor.ts'

export type Answer = Awaited<ReturnType<typeof post>>

/** One visit's token and copies of it that differ in their id alone, signed with the keys of the service. */
export async function manyTokens(ask: Ask, keyringFile: string, count: number): Promise<string[]> {
  const tokens = tokensWithFile(keyringFile)
  const first = await token({ ...ask, patient: true })
  const now = unixSeconds(Date.now() / 1000)
  const claims = (await tokens.openResponse(first, ask.sitekey as Sitekey, now)) as ResponseClaims
  const copy = () =>
    tokens.signResponse({ ...claims, jti: randomBytes(16).toString('base64url') as Jti })
  return [first, ...(await Promise.all(Array.from({ length: count - 1 }, copy)))]
}

/** Fewer requests at once than the service refuses any of for its own lateness, however busy the machine is. */
const AT_ONCE = 50

/**
 * Asks so many times a second, whatever becomes of the earlier requests, until the work is done.
 *
 * @param ask sends the n-th request.
 * @returns the answers, in the order in which they were asked for; an error in the place of one that did not come.
 */
export async function underLoad<T>(
  perSecond: number,
  ask: (n: number) => Promise<T>,
  work: () => Promise<void>,
) {
  const started = performance.now()
  const asked: Promise<T | Error>[] = []
  const now = { open: 0, working: true }
  const working = work().finally(() => {
    now.working = false
  })
  while (now.working) {
    const due = ((performance.now() - started) / 1000) * perSecond
    while (asked.length < due && now.open < AT_ONCE) {
      now.open++
      const one = ask(asked.length).catch((error: unknown) => error as Error)
      asked.push(one.finally(() => now.open--))
    }
    await sleep(5)
  }
  await working
  return Promise.all(asked)
}
