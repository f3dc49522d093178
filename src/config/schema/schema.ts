import { type JsonSchema, compile } from '../../schema/schema.ts'
import { LOG_FORMATS, LOG_LEVELS, MODES } from '../config.ts'
import type { ConfigFile } from '../file.ts'
import { SCORE_SCHEMA } from './score.ts'
import { AGENTS_SCHEMA } from './agents.ts'
import { NETWORK_SCHEMA } from './network.ts'
import { REDIS_SCHEMA } from './redis.ts'
import { SITE_SCHEMA } from './site.ts'

const rate = (preset: string, description: string): JsonSchema => ({
  type: 'string',
  pattern: '^[1-9][0-9]{0,8} per [1-9][0-9]{0,6}[smhd]$',
  wants: `points per length of time, such as "${preset}"`,
  default: preset,
  description,
})
const address = (wants: string, description: string, preset?: string): JsonSchema => ({
  type: 'string',
  wants,
  description,
  ...(preset === undefined ? {} : { default: preset }),
})

/** config/README.md, as far as one value alone can show it; the rest is in config/checks/. */
export const CONFIG_SCHEMA: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'human-verification configuration',
  description: 'See config/README.md: unit, range, default and reason of every setting.',
  type: 'object',
  wants: 'a group of settings: version, sites, …',
  additionalProperties: false,
  required: ['version', 'sites'],
  properties: {
    version: { const: 1, description: 'Version of this format.' },
    mode: {
      enum: MODES,
      default: 'production',
      description:
        'test: for customers’ tests (docs/start/testing.md). It protects nothing, and is refused with NODE_ENV=production.',
    },
    listen: address(
      'host:port',
      'Where the public API listens. Port 0 picks a free one; IPv6 in brackets.',
      '127.0.0.1:8080',
    ),
    ops_listen: address('host:port', 'Metrics, readiness, dashboard. Never public.', '127.0.0.1:9464'),
    ops_hosts: {
      type: 'array',
      maxItems: 100,
      uniqueItems: true,
      wants: 'a list of names',
      default: [],
      description: 'Names the ops listener is asked by, besides literal addresses and localhost; others are refused.',
      items: {
        type: 'string',
        pattern: '^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$',
        wants: 'a name without port, such as verify-ops.internal',
      },
    },
    public_url: address(
      'an http or https address without a path, such as https://verify.example.com',
      'The address by which visitors’ browsers reach the service, and the issuer of its tokens: the same in every process.',
    ),
    trusted_proxies: {
      type: 'array',
      maxItems: 1000,
      uniqueItems: true,
      wants: 'a list of addresses and CIDR ranges',
      default: [],
      description: 'Whose X-Forwarded-For is believed. Empty: nobody’s.',
      items: { type: 'string', wants: 'an address or a CIDR range, such as 10.0.0.0/8' },
    },
    client_ip_header: {
      type: 'string',
      pattern: '^[A-Za-z][A-Za-z0-9-]{1,63}$',
      wants: 'the name of a header, such as CF-Connecting-IP',
      default: 'X-Forwarded-For',
      description:
        'In which a trusted proxy passes on the visitor’s address: X-Forwarded-For, Forwarded, X-Real-IP, CF-Connecting-IP, True-Client-IP.',
    },
    connections_per_address: {
      type: 'integer',
      minimum: 8,
      maximum: 10_000,
      wants: 'a number from 8 to 10000, whole',
      default: 256,
      description:
        'Connections of one address (IPv6: of a /64) at a time; trusted proxies and the machine itself are not counted. While all together have more than 2,500, an address has its equal part of them.',
    },
    tls_fingerprint_header: {
      type: 'string',
      pattern: '^[A-Za-z][A-Za-z0-9-]{1,63}$',
      wants: 'the name of a header, such as X-JA4',
      description: 'In which a trusted proxy passes on the JA4 of the visitor’s TLS. Left out: TLS is not looked at.',
    },
    keyring: {
      type: 'string',
      pattern: '^[^\\u0000]{1,1000}$',
      wants: 'the path of the keyring',
      description:
        'File of the signing keys (`hv keygen`), relative to this file. Left out: keys made at start, with the embedded ledger only.',
    },
    redis: REDIS_SCHEMA,
    ledger: {
      type: 'object',
      wants: 'partitions',
      description: 'How the ledger lies in Redis.',
      additionalProperties: false,
      properties: {
        partitions: {
          type: 'integer',
          minimum: 1,
          maximum: 64,
          wants: 'a number from 1 to 64, whole',
          default: 1,
          description: 'Hash tags the ledger is spread over, so that a Cluster shares it: the same in every process.',
        },
      },
    },
    limits: {
      type: 'object',
      wants: 'rates for challenge, solve, siteverify, fallback, junk, ticket, invalid_secret',
      description: 'Points per length of time; per visitor address (IPv6: per /64) or per site.',
      additionalProperties: false,
      properties: {
        challenge: rate(
          '15 per 1m',
          'Visits of an address that keep on coming; three times as many may come at once. A /56 has twice that, an IPv6 /48 four times, an IPv4 /24 sixteen times.',
        ),
        solve: rate('60 per 1m', 'Solutions, per visitor address.'),
        siteverify: rate('6000 per 1m', 'Verifications, per site.'),
        fallback: rate('10 per 1m', 'Challenges for the work of browsers without a JIT, per visitor address.'),
        junk: rate(
          '600 per 1m',
          'Tokens that never were the site’s, are over, or were used: per site, apart from siteverify.',
        ),
        ticket: rate(
          '2 per 1h',
          'Second tries after a low score, per visitor address. A /56 has twice that, an IPv6 /48 four times, an IPv4 /24 sixteen times.',
        ),
        invalid_secret: rate('30 per 1m', 'Wrong secrets, per address, against guessing.'),
      },
    },
    network: NETWORK_SCHEMA,
    agents: AGENTS_SCHEMA,
    score: SCORE_SCHEMA,
    log_level: { enum: LOG_LEVELS, default: 'info', description: 'The least important lines that are logged.' },
    log_format: {
      enum: LOG_FORMATS,
      default: 'json',
      description: 'json: an object on each line, for programs. pretty: for people at a terminal.',
    },
    sites: {
      type: 'array',
      minItems: 1,
      maxItems: 10_000,
      wants: 'at least one site (hv site add makes one)',
      description: 'The sites that may use the service.',
      items: SITE_SCHEMA,
    },
  },
}

export const checkShape = compile<ConfigFile>(CONFIG_SCHEMA, { all: true })
