import { requireHuman } from '@human-verification/client/next'
import { settings } from '../../settings.js'

// The same in the edge runtime, which has no Node.js beneath it.
export const runtime = 'edge'
export const POST = requireHuman({ ...settings, action: 'sign-up' }, async (request) =>
  Response.json({ done: true, score: request.human.score }),
)
