import { ACTION } from '../../domain/site.ts'
import { JUDGEMENT_SETTINGS } from './score.ts'
import { VISIT_RULES_SCHEMA } from './visit-rules.ts'
import type { JsonSchema } from '../../schema/schema.ts'

const duration = (range: string, preset: string, description: string): JsonSchema => ({
  type: 'string',
  pattern: '^[1-9][0-9]{0,6}[smhd]$',
  wants: range,
  default: preset,
  description,
})
/** One of `sites`: config/README.md. */
export const SITE_SCHEMA: JsonSchema = {
  type: 'object',
  wants: 'a site: sitekey, secrets, hostnames, and its policy',
  description: 'One customer property: its sitekey, its secrets and its policy.',
  additionalProperties: false,
  required: ['sitekey', 'secrets', 'hostnames'],
  properties: {
    sitekey: {
      type: 'string',
      pattern: '^hv_site_[A-Za-z0-9_-]{8,64}$',
      wants: 'hv_site_ and 8 to 64 of A-Z a-z 0-9 _ -',
      description: 'Public name of the site, for data-sitekey. `hv site add` makes one.',
    },
    name: {
      type: 'string',
      pattern: '^[^\\u0000-\\u001f\\u007f]{1,100}$',
      wants: 'text of 1 to 100 characters',
      description: 'For people: dashboards and lists. Left out: the first hostname.',
    },
    secrets: {
      type: 'array',
      minItems: 1,
      maxItems: 8,
      wants: '1 to 8 secrets, each by its hash (hv site add makes one)',
      description:
        'Hashes of the secrets by which the customer’s server proves itself. Several overlap while one is being replaced.',
      items: {
        type: 'object',
        wants: 'a secret: sha256, and not_after if it ends',
        additionalProperties: false,
        required: ['sha256'],
        properties: {
          sha256: {
            type: 'string',
            wants: 'the SHA-256 of the secret, 64 lowercase hexadecimal digits',
            description: 'SHA-256 of the secret, 64 lowercase hexadecimal digits; never the secret itself.',
          },
          not_after: {
            type: 'string',
            wants: 'a time with its offset, such as 2027-01-01T00:00:00Z',
            description: 'RFC 3339. From this moment on the secret is refused. Left out: no end.',
          },
        },
      },
    },
    hostnames: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      wants: 'at least one hostname (an empty list accepts none)',
      description: 'Where the widget may run: lowercase, no scheme, port or path. "*.example.com" is every name below.',
      items: { type: 'string', wants: 'a hostname' },
    },
    app_origins: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      wants: 'at least one origin of an app (leave the setting out where there is no app)',
      description:
        'Origins of pages that apps bring along, each spelled out: capacitor://localhost, chrome-extension://… Every app of a kind has the same one, so it is no proof of your app.',
      items: { type: 'string', wants: 'an origin of an app, such as capacitor://localhost' },
    },
    actions: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      wants: 'at least one action (leave the setting out to allow any)',
      description: 'Actions the site may use, compared exactly. Left out: any well-formed one.',
      items: { type: 'string', pattern: ACTION.source, wants: 'an action: 1 to 64 of A-Z a-z 0-9 _ - / .' },
    },
    default_action: {
      type: 'string',
      pattern: ACTION.source,
      wants: 'an action: 1 to 64 of A-Z a-z 0-9 _ - / .',
      description:
        'The action of a page that names none, as pages of other services do. Default: the one of actions, if it lists exactly one; else a page has to name its action. The handler compares it all the same.',
    },
    score_threshold: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'A visitor passes at score >= this. Higher is stricter; 0 lets everybody pass.',
    },
    token_lifetime: duration('30s to 600s', '120s', 'How long a response token may be verified.'),
    challenge_lifetime: duration(
      '60s to 1h',
      '10m',
      'How long a challenge may be solved; the widget renews it silently.',
    ),
    work: {
      type: 'object',
      wants: 'level, max_level, human_cost and fallback',
      description: 'How much work a visitor’s browser does; each level doubles it.',
      additionalProperties: false,
      properties: {
        level: {
          type: 'number',
          minimum: 0,
          maximum: 8,
          default: 3,
          description: 'For an ordinary visit. Fractions allowed.',
        },
        max_level: {
          type: 'number',
          minimum: 0,
          maximum: 8,
          default: 8,
          description: 'The most that it may rise to with the rate of a source; at least level. Left out: 8.',
        },
        human_cost: duration(
          '1s to 120s',
          '2s',
          'The longest that the work may take 95 of 100 visitors whose address has an ordinary rate. Left out: 2s, or what level takes a slow phone if that is longer.',
        ),
        fallback: {
          type: 'boolean',
          default: true,
          description:
            'true: a browser without a JIT may do work of another kind (pb.1), for a capped score. false: it hands in a part.',
        },
      },
    },
    ...JUDGEMENT_SETTINGS,
    rules: VISIT_RULES_SCHEMA,
  },
}
