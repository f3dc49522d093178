import { AGENT_NAME } from '../../domain/named-agent.ts'
import { ACTION } from '../../domain/site.ts'
import type { JsonSchema } from '../../schema/schema.ts'

const list = (
  items: JsonSchema,
  wants: string,
  description: string,
  example: string | number,
  most = 1000,
): JsonSchema => ({
  type: 'array',
  minItems: 1,
  maxItems: most,
  uniqueItems: true,
  wants,
  description,
  items,
  examples: [[example]],
})

/** `sites[].rules`: what the site's operator decides beside the score. */
export const VISIT_RULES_SCHEMA: JsonSchema = {
  type: 'array',
  maxItems: 200,
  wants: 'a list of rules, each with name, when and effect',
  default: [],
  description: 'The first that a visit meets counts, in this order, and is named in the log (`hv rules test`).',
  items: {
    type: 'object',
    wants: 'a rule: name, when, effect, and until if it ends',
    additionalProperties: false,
    required: ['name', 'when', 'effect'],
    properties: {
      name: {
        type: 'string',
        pattern: '^[a-z0-9][a-z0-9_-]{0,39}$',
        wants: '1 to 40 of a-z 0-9 _ -',
        description: 'For the log; no other rule of the site has it.',
      },
      when: {
        type: 'object',
        wants: 'at least one of cidr, list, asn, country, user_agent, ja4, agent, action, hour',
        description: 'All of these must hold, each by any of its values. A fact that is not known does not hold.',
        additionalProperties: false,
        minProperties: 1,
        properties: {
          cidr: list(
            { type: 'string', wants: 'an address or a CIDR range, such as 192.0.2.0/24' },
            'a list of addresses and CIDR ranges',
            'The visitor’s address; IPv6 by the /64 at the finest.',
            '192.0.2.0/24',
            10_000,
          ),
          list: list(
            { type: 'string', wants: 'the name of one of network.lists' },
            'a list of names of network.lists',
            'One of the configured lists holds the address.',
            'tor',
            50,
          ),
          asn: list(
            { type: 'integer', minimum: 1, maximum: 4_294_967_295, wants: 'the number of a network, such as 64496' },
            'a list of numbers of networks',
            'The autonomous system; needs network.mmdb.',
            64_496,
          ),
          country: list(
            { type: 'string', pattern: '^[A-Z]{2}$', wants: 'a country, ISO 3166-1 alpha-2, uppercase, such as DE' },
            'a list of countries',
            'Needs network.mmdb.',
            'DE',
            300,
          ),
          user_agent: list(
            { type: 'string', maxLength: 200, wants: 'text of at most 200 characters, * for anything between' },
            'a list of parts of agent strings',
            'Part of the User-Agent, whatever the case; * is anything between, "" an empty one. Anybody can write one.',
            'python-requests',
            100,
          ),
          ja4: list(
            { type: 'string', pattern: '^[a-z0-9_*]{1,40}$', wants: 'a JA4, * for anything between' },
            'a list of JA4 fingerprints',
            'The visitor’s TLS; needs tls_fingerprint_header. Virus scanners and company proxies change it.',
            't13d1812h1_85036bcba153_*',
            100,
          ),
          agent: list(
            { type: 'string', pattern: AGENT_NAME.source, wants: 'the name of one of agents, or any' },
            'a list of names of agents',
            'One of the configured agents asks, proven by its signature or its address; "any" is each of them.',
            'chatgpt',
            100,
          ),
          action: list(
            { type: 'string', pattern: ACTION.source, wants: 'an action: 1 to 64 of A-Z a-z 0-9 _ - / .' },
            'a list of actions',
            'Compared exactly.',
            'sign-up',
          ),
          hour: {
            type: 'string',
            wants: 'hours from and to, such as 9-17 or 22-6',
            description: 'From one full hour to another, the last not included; over midnight too.',
            examples: ['9-17', '22-6'],
          },
          zone: {
            type: 'string',
            default: 'UTC',
            wants: 'a time zone, such as Europe/Berlin',
            description: 'IANA time zone of hour.',
            examples: ['Europe/Berlin'],
          },
        },
      },
      effect: {
        type: 'object',
        wants: 'allow, deny, or score and work',
        description: 'The effect on the visit.',
        additionalProperties: false,
        minProperties: 1,
        properties: {
          allow: { const: true, description: 'The score is 1. The token is still used once, and its work is done.' },
          deny: { const: true, description: 'The score is 0, and siteverify refuses at any threshold.' },
          score: {
            type: 'number',
            minimum: -8,
            maximum: 8,
            description: 'Added to the log-odds; 0 leaves it as it is.',
            examples: [-0.5],
          },
          work: {
            type: 'number',
            minimum: 0,
            maximum: 8,
            description: 'Instead of work.level; load may raise it, max_level and human_cost cap it.',
            examples: [4],
          },
        },
      },
      until: {
        type: 'string',
        wants: 'a time with its offset, such as 2027-01-01T00:00:00Z',
        description: 'RFC 3339. From this moment on the rule is passed over. Left out: no end.',
        examples: ['2027-01-01T00:00:00Z'],
      },
    },
  },
}
