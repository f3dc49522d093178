import type { RequestListener } from 'node:http'
import { faultAnswers } from './http/answer.ts'
import { type Assets, assets } from './http/assets.ts'
import { takeBody } from './http/body.ts'
import { readable } from './http/cors.ts'
import { apiHeaders, assetHeaders, pageHeaders } from './http/headers.ts'
import { late } from './http/late.ts'
import { type MessageClasses, messageClasses } from './http/message-classes.ts'
import { logRequest } from './http/notes.ts'
import { challenge, health, siteverify, solve } from './http/operations.ts'
import { RECEIPT_KEYS_PATH, receiptKeys } from './http/receipt-keys.ts'
import { parseChallenge, parseSiteverify, parseSolve } from './http/requests.ts'
import { addRoutes, bareApp, type Route } from './http/routes.ts'
import { shortWay } from './http/short-way.ts'
import { inTurn } from './limits/admission.ts'
import type {
  Admission,
  Clock,
  Guesses,
  History,
  Ledger,
  Limiter,
  Log,
  Meters,
  Networks,
  Random,
  Readiness,
  Receipts,
  Sites,
  Tokens,
} from './ports.ts'
import { issueChallenge } from './protocol/issue-challenge.ts'
import { signReceipt } from './protocol/sign-receipt.ts'
import { solveChallenge } from './protocol/solve-challenge.ts'
import { verifyResponse } from './protocol/verify-response.ts'
import { lateness, rehearseChallenge, rehearseSiteverify } from './scenarios/rehearse.ts'

/** Everything the application asks the outside for. */
export interface Parts {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly receipts: Receipts
  readonly ledger: Ledger
  readonly limiter: Limiter
  /** Left out: the limiter, then the ledger. */
  readonly admission?: Admission
  readonly history: History
  readonly guesses: Guesses
  readonly networks: Networks
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly meters: Meters
  readonly readiness: Readiness
  readonly assets: Assets
  /** CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  readonly publicUrl: string | undefined
  /** In which our own proxies pass on the JA4 of the visitor's TLS. */
  readonly tlsFingerprintHeader: string | undefined
  /** Plays scenarios, and protects nothing. docs/testing.md */
  readonly testMode: boolean
  /** Milliseconds that only go forward, for the log. */
  readonly elapsed: () => number
}

/** What a listener needs to serve the application. */
export interface App {
  readonly serve: RequestListener
  readonly messages: MessageClasses
}

/** The whole service, not listening: the table of what can be asked, and through what it goes. */
export function createApp(parts: Parts): App {
  const { log, testMode } = parts
  const app = bareApp(parts.trustedProxies)
  const logged = (operation: string) => logRequest(operation, parts)
  const issue = issueChallenge(parts)
  const admission = parts.admission ?? inTurn(parts.limiter, parts.ledger)
  const verify = verifyResponse({ ...parts, admission })
  const page = [...pageHeaders, readable(parts.sites)]
  const body = testMode ? [takeBody, late((fields) => lateness((name) => fields.get(name)))] : [takeBody]

  const routes: readonly Route[] = [
    {
      method: 'POST',
      path: '/api/v1/siteverify',
      steps: [
        logged('siteverify'),
        ...apiHeaders,
        ...body,
        siteverify(parseSiteverify(), testMode ? rehearseSiteverify(verify, parts) : verify, signReceipt(parts)),
      ],
    },
    {
      method: 'POST',
      path: '/api/v1/challenge',
      steps: [
        logged('challenge'),
        ...page,
        ...body,
        challenge(parseChallenge(), testMode ? rehearseChallenge(issue) : issue, parts),
      ],
    },
    {
      method: 'POST',
      path: '/api/v1/solve',
      steps: [logged('solve'), ...page, takeBody, solve(parseSolve(), solveChallenge({ ...parts, admission }), parts)],
    },
    { method: 'GET', path: '/health', steps: [...apiHeaders, health(parts.readiness, testMode)] },
    { method: 'GET', path: RECEIPT_KEYS_PATH, steps: [...apiHeaders, receiptKeys(parts)] },
    { method: 'GET', path: '/assets/:name', steps: [assetHeaders, assets(parts.assets)] },
  ]
  addRoutes(app, routes, [logged('other'), ...apiHeaders])
  const faults = faultAnswers(log)
  app.use(faults)
  const messages = messageClasses(app)
  // Express sets the prototypes where they are not right from birth.
  return { serve: messages.IncomingMessage ? shortWay(app, routes, faults) : app, messages }
}
