import { requireHuman } from '@human-verification/client/next'
import { settings } from '../../settings.js'

// The same with a field of another name.
export const POST = requireHuman({ ...settings, action: 'contact-form', field: 'proof' }, async (request) =>
  Response.json({ done: true, score: request.human.score }),
)
