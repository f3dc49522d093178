import type { JsonSchema } from '../../schema/schema.ts'

const nodes = (description: string): JsonSchema => ({
  type: 'array',
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  wants: 'a list of at least one host:port',
  examples: [['redis-1.internal:6379', 'redis-2.internal:6379']],
  items: {
    type: 'string',
    wants: 'host:port, such as 10.0.0.5:6379',
    description: 'One node, host:port; IPv6 in brackets.',
  },
  description,
})
/** What Redis takes as a user name: no spaces, nothing invisible. */
const username = (description: string): JsonSchema => ({
  type: 'string',
  pattern: '^[!-~]{1,100}$',
  wants: 'the name of an ACL user',
  examples: ['hv'],
  description,
})
const password = (description: string): JsonSchema => ({
  type: 'string',
  pattern: '^[^\\u0000-\\u001f]{1,500}$',
  wants: 'a password: text in quotes',
  examples: ['replace me'],
  description,
})
const path = (wants: string, example: string, description: string): JsonSchema => ({
  type: 'string',
  pattern: '^[^\\u0000]{1,1000}$',
  wants,
  examples: [example],
  description,
})

/** `redis` of the configuration; which settings go together is in redis-rules.ts. */
export const REDIS_SCHEMA: JsonSchema = {
  type: 'object',
  wants: 'one of url, cluster and sentinel',
  description:
    'The ledger of several processes; exactly one of url, cluster, sentinel. Left out: the embedded ledger, one process.',
  additionalProperties: false,
  properties: {
    url: {
      type: 'string',
      wants: 'redis:// or rediss://, with host, port and database',
      description: 'redis:// or rediss:// (TLS), user, password, host, port, database.',
    },
    cluster: nodes('Some nodes of a Redis Cluster.'),
    sentinel: {
      type: 'object',
      wants: 'name and nodes',
      description: 'A primary that Sentinels watch.',
      additionalProperties: false,
      required: ['name', 'nodes'],
      properties: {
        name: {
          type: 'string',
          pattern: '^[A-Za-z0-9_.-]{1,100}$',
          wants: 'the name the Sentinels know the primary by',
          examples: ['hv-primary'],
          description: 'The primary’s name.',
        },
        nodes: nodes('The Sentinels.'),
      },
    },
    username: username('ACL user of every node, with cluster or sentinel; with url it is part of the url.'),
    password: password('Password of every node, with cluster or sentinel; with url it is part of the url.'),
    sentinel_username: username('ACL user of the Sentinels themselves.'),
    sentinel_password: password('Password of the Sentinels themselves.'),
    tls: {
      type: 'boolean',
      wants: 'true or false',
      default: false,
      description: 'TLS to every node and every Sentinel, with cluster or sentinel; with url, rediss:// says it.',
    },
    password_file: path(
      'the path of a file that holds a password',
      'redis-password',
      'File that holds the password of every node, also with url, which then names the user alone.',
    ),
    sentinel_password_file: path(
      'the path of a file that holds a password',
      'sentinel-password',
      'File that holds the password of the Sentinels themselves.',
    ),
    ca: path(
      'the path of a PEM file',
      'redis-ca.pem',
      'File of the authority that signed the servers’ certificates. Left out: those Node.js trusts.',
    ),
    key_prefix: {
      type: 'string',
      pattern: '^[a-z0-9_-]{1,32}:$',
      wants: '1 to 32 of a-z 0-9 _ - and a colon, such as "hv:"',
      default: 'hv:',
      description: 'Before every key; another one is another ledger.',
    },
  },
}
