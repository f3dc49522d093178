/** `deploy/chart/values.schema.json`: the values of the chart, and in them both tables of settings. */
import { SETTINGS } from '../../packages/gate/src/settings.ts'
import type { JsonSchema } from '../../src/schema/json-schema.ts'
import { schemas } from './settings-pages.ts'

type Schema = Readonly<Record<string, unknown>>

const text = (description?: string): Schema => ({ type: 'string', description })
const flag: Schema = { type: 'boolean' }
const count = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum })
const list = (items: Schema = { type: 'object' }): Schema => ({ type: 'array', items })
const free: Schema = { type: 'object' }
const names: Schema = { type: 'object', additionalProperties: { type: 'string' } }
const group = (properties: Readonly<Record<string, Schema>>, description?: string): Schema => ({
  type: 'object',
  additionalProperties: false,
  description,
  properties,
})
const enabled = (more: Readonly<Record<string, Schema>> = {}) => group({ enabled: flag, ...more })
const secret = group({ name: text(), key: text() })

/** Settings that the chart itself gives: ports, and paths of what it mounts. */
const OURS = { service: ['listen', 'ops_listen'], gate: ['listen', 'ops_listen', 'key_file'] }

const IMAGE = group({
  repository: text(),
  tag: text(),
  digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
  pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
  pullSecrets: list(),
})
const STORE = group({
  kind: { enum: ['shared', 'embedded'] },
  maxmemoryPolicy: text('What the store says of itself; every policy but noeviction is refused.'),
  urlSecret: secret,
  passwordSecret: secret,
})
/** How visitors arrive, and who may connect. */
const NETWORK = {
  httpRoute: enabled({ hostnames: list({ type: 'string' }), parentRefs: list() }),
  ingress: enabled({
    className: text(),
    annotations: names,
    hostnames: list({ type: 'string' }),
    tlsSecret: text(),
  }),
  networkPolicy: enabled({
    proxies: list(),
    metrics: list(),
    store: group({ ports: list(count(1, 65_535)), to: list() }),
    dns: list(),
  }),
}
/** Passed on to the pod as they are. */
const POD = {
  resources: free,
  podAnnotations: names,
  nodeSelector: names,
  tolerations: list(),
  affinity: free,
  extraEnv: list(),
  extraVolumes: list(),
  extraVolumeMounts: list(),
}

/** Returns the schema of every value. */
export function chartSchema(): string {
  const {
    $schema,
    title: _title,
    definitions,
    ...config
  } = schemas()['schema.json'] as JsonSchema & { title: string; definitions: JsonSchema }
  const service = without({ ...config, required: [...config.required!, 'sites'] }, OURS.service)
  const values = group({
    image: IMAGE,
    replicas: count(1, 1000),
    autoscaling: enabled({ min: count(1, 1000), max: count(1, 1000), cpu: count(1, 100) }),
    store: STORE,
    keyring: group({ secret: text(), key: text() }),
    config: { ...forHelm(service), type: ['object', 'null'] },
    configMap: text(),
    ...NETWORK,
    podMonitor: enabled({ labels: names, interval: text() }),
    prometheusRule: enabled({ labels: names }),
    ...POD,
    gate: enabled({
      replicas: count(1, 1000),
      keySecret: secret,
      siteSecrets: text(),
      config: forHelm(without(SETTINGS as unknown as JsonSchema, OURS.gate)),
      envoyGateway: enabled({ targetRefs: list() }),
      traefik: enabled(),
      resources: free,
    }),
    // Helm gives it to every chart that is part of another one.
    global: free,
  })
  return JSON.stringify({
    $schema,
    title: 'Values of the chart human-verification',
    ...values,
    definitions: forHelm(definitions),
  })
}

/** Leaves out some settings. An empty group is allowed where the gate is off: the guards of the chart ask for the rest. */
function without(schema: JsonSchema, settings: readonly string[]): JsonSchema {
  const kept = Object.entries(schema.properties!).filter(([name]) => !settings.includes(name))
  const { required, ...rest } = schema
  return {
    ...rest,
    properties: Object.fromEntries(kept),
    ...(required?.includes('sites') && { required }),
  }
}

const OF_JSON_SCHEMA = new Set(
  '$ref type properties required additionalProperties items enum const pattern description default examples allOf'.split(
    ' ',
  ),
)
const BOUNDS = /^(min|max)(imum|Items|Length|Properties)$|^uniqueItems$/

/**
 * Leaves out our keywords, and what Go's regular expressions lack: look-arounds, `\u0000`, and more than 1,000 repetitions. `hv check`
 * and the service itself check the rest.
 */
function forHelm(schema: JsonSchema): Schema {
  const kept = Object.entries(schema)
    .filter(([key, value]) => isKept(key, value))
    .map(([key, value]) => [key, inner(key, value)] as const)
  const needed = schema.required?.filter((name) => schema.properties?.[name]?.default === undefined)
  return { ...Object.fromEntries(kept), ...(needed && { required: needed }) }
}

const isKept = (key: string, value: unknown): boolean =>
  (key !== 'pattern' || isOfGo(value as string)) &&
  (OF_JSON_SCHEMA.has(key) || BOUNDS.test(key) || (typeof value === 'object' && value !== null))

const isOfGo = (pattern: string): boolean =>
  !/\\u|\(\?[=!<]/.test(pattern) &&
  [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].every(
    ([, least, most]) => Number(most ?? least) <= 1000,
  )

function inner(key: string, value: unknown): unknown {
  if (key === 'default' || key === 'examples' || key === 'enum' || key === 'required') return value
  if (Array.isArray(value)) return value.map((each) => inner('', each))
  if (typeof value !== 'object' || value === null) return value
  if (key === 'properties')
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, forHelm(each as JsonSchema)]),
    )
  return forHelm(value)
}
