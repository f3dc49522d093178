import { requireHuman } from '@human-verification/client/next'
import { settings } from '../../settings.js'

// The operation is the handler, so it runs for people only. Its request is unread, and knows the verdict.
export const POST = requireHuman({ ...settings, action: 'sign-up' }, async (request) =>
  Response.json({ done: true, score: request.human.score }),
)
