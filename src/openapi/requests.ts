import { REQUIRED, SCHEMAS } from '../http/requests.ts'
import type { JsonSchema } from '../settings/json-schema.ts'
import type { Schema } from './answers.ts'

/** What each field is, in words; a field without a sentence does not compile. */
const FIELDS = {
  challenge: {
    sitekey: 'Public name of the site, `data-sitekey`.',
    action:
      'The workflow, `data-action`: 1 to 64 of `A-Z a-z 0-9 _ - / .`; left out: the `default_action` of the site, without which it is `bad-request`',
    cdata:
      'Anything of the page’s, handed to your server on success: 255 characters and 510 bytes of JSON at most (a quote takes two), no control characters.',
    proof:
      'The newest version of the browser proof that the widget knows (docs/design/proof.md). Left out: none is asked for.',
    algorithm:
      'The work. Left out: `s32.2`. `pb.1`, for browsers without a JIT, has a capped score and a limit of its own; a site may refuse it.',
    ticket:
      'A ticket of `solve`, or the `step_up` of siteverify: the challenge is for the second try after a low score (docs/widget/refused.md).',
  },
  solve: {
    challenge: 'The challenge token.',
    solution: 'The work, base64url.',
    signals: 'The summary of the visit, made by the browser; at most 4 KiB. Left out: as `{}`.',
    ticket: 'The ticket that the challenge was issued for; left out where there was none.',
    step_up: '`1`: your page can show the step of a second try. Without it the answer is a token, whatever the score.',
  },
  siteverify: {
    secret: 'Private secret of the site. From your server only.',
    response: 'The response token that the form carried in `svc-response`.',
    remoteip: 'The visitor’s address, only if you can resolve it safely.',
    action: 'The action this handler protects. Another one in the token: `action-mismatch`.',
    idempotency_key:
      'UUID, version 4 or 7, a new one for each form submission received: the same request with the same key is answered the same again.',
  },
} as const satisfies { [O in keyof typeof SCHEMAS]: Record<keyof (typeof SCHEMAS)[O]['properties'], string> }

interface Request {
  readonly json: Schema
  /** The same fields as text. */
  readonly form: Schema
}

/** The bodies of the operations, from the schemas that check them. An empty field counts as absent; others are ignored. */
export const REQUESTS: Readonly<Record<keyof typeof SCHEMAS, Request>> = {
  challenge: request('challenge'),
  solve: request('solve'),
  siteverify: request('siteverify'),
}

function request(name: keyof typeof SCHEMAS): Request {
  const { properties, required = [] } = SCHEMAS[name] as JsonSchema
  const words: Readonly<Record<string, string>> = FIELDS[name]
  const described = Object.entries(properties ?? {}).map(
    ([field, schema]) => [field, { ...schema, description: words[field] }] as const,
  )
  const body = (fields: readonly (readonly [string, Schema])[]): Schema => ({
    type: 'object',
    properties: Object.fromEntries(fields),
    required: [...new Set([...Object.keys(REQUIRED[name]), ...required])],
  })
  return {
    json: body(described),
    form: body(described.map(([field, schema]) => [field, schema.type === 'object' ? asText(schema) : schema])),
  }
}

/** An object in a form is its JSON text. */
function asText(schema: Schema): Schema {
  return {
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: schema,
    description: schema.description,
  }
}
