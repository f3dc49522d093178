import { LIST_KINDS } from '../../domain/network.ts'
import type { JsonSchema } from '../../schema/schema.ts'

const path = (description: string, example: string): JsonSchema => ({
  type: 'string',
  examples: [example],
  pattern: '^[^\\u0000]{1,1000}$',
  wants: 'the path of a file',
  description,
})

/** `network`: local files that know addresses. */
export const NETWORK_SCHEMA: JsonSchema = {
  type: 'object',
  wants: 'mmdb and lists',
  description: 'Local files that know addresses. Read at start and whenever they change; nothing is asked of others.',
  additionalProperties: false,
  properties: {
    mmdb: {
      type: 'array',
      maxItems: 8,
      uniqueItems: true,
      wants: 'a list of MMDB files',
      default: [],
      description: 'MMDB files of countries and networks (ASN); the first that knows is believed.',
      examples: [['geo/country.mmdb']],
      items: path('Relative to this file.', 'geo/country.mmdb'),
    },
    lists: {
      type: 'array',
      maxItems: 50,
      wants: 'a list of lists, each with name, kind and file',
      default: [],
      description: 'Lists of addresses and CIDR ranges, one a line, # for comments.',
      items: {
        type: 'object',
        wants: 'a list: name, kind and file',
        additionalProperties: false,
        required: ['name', 'kind', 'file'],
        properties: {
          name: {
            type: 'string',
            pattern: '^[a-z0-9][a-z0-9_-]{0,31}$',
            wants: '1 to 32 of a-z 0-9 _ -',
            examples: ['tor'],
            description: 'For rules and the log.',
          },
          kind: {
            enum: Object.keys(LIST_KINDS),
            description: 'The kind of list, which sets its effect on the score (docs/design/scoring.md).',
          },
          file: path('Relative to this file.', 'lists/tor.txt'),
        },
      },
    },
  },
}
