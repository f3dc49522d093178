/**
 * deploy/chart, by helm itself: against the schemas of Kubernetes and of every custom resource that it renders, against the
 * service's and the gate's settings, and against what it has to refuse. deploy/kubernetes, by kustomize: the same objects.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { renderedDefault } from '../../../.ci/render-chart.mjs'
import { withNewKey } from '../../../packages/gate/src/keys.ts'
import { readSettings } from '../../../packages/gate/src/read-settings.ts'
import { loadConfig } from '../../../src/settings/load.ts'
import { site, testService } from '../../support/app.ts'
import { newFolder } from '../../support/close-later.ts'
import { findProgram, type ProgramName } from '../../support/programs.mjs'
import { ROOT } from '../../support/root.ts'

const CHART = join(ROOT, 'deploy/chart')
const KUSTOMIZE = join(ROOT, 'deploy/kubernetes')
const NAMESPACE = 'human-verification'
const read = (file: string): string => readFileSync(file, 'utf8')
const VALUES = readdirSync(join(CHART, 'ci')).map((file) => join(CHART, 'ci', file))

// .ci/run brings these; npm test does not, since nothing of ours runs on them.
const lacks = (['helm', 'kubectl', 'kubeconform', 'kubernetesSchemas', 'crds'] as const).filter(
  (name: ProgramName) => findProgram(name) === undefined,
)
const described = lacks.length === 0 ? describe : describe.skip

/** A part of a manifest, of one of a dozen kinds. */
// oxlint-disable-next-line typescript/no-explicit-any -- kubeconform checks the shapes
type Part = any

interface Manifest {
  kind: string
  apiVersion: string
  metadata: { name: string; labels?: Record<string, string> }
  data?: Record<string, string>
  spec?: Part
}

function run(program: ProgramName, args: readonly string[], input?: string) {
  const { status, stdout, stderr } = spawnSync(findProgram(program)!, args, {
    encoding: 'utf8',
    input,
    maxBuffer: 2 ** 26,
  })
  return { status, stdout, stderr }
}
const template = (values: readonly string[]) =>
  run('helm', ['template', 'verify', CHART, '--namespace', NAMESPACE, ...values])
const manifestsOf = (yaml: string): Manifest[] =>
  // As Kubernetes reads it: 0440 is octal.
  parseAllDocuments(yaml, { version: '1.1' })
    .map((each) => each.toJS() as Manifest | null)
    .filter((each) => each !== null)

/** Renders the chart with a file of values, or with values as they stand here. */
function rendered(values: string | object) {
  const file = typeof values === 'string' ? values : join(newFolder(), 'values.yaml')
  if (typeof values !== 'string') writeFileSync(file, stringify(values))
  const { status, stdout, stderr } = template(['--values', file])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return { yaml: stdout, manifests: manifestsOf(stdout) }
}

/** Writes the schemas of custom resources as kubeconform reads them: with no property that a definition does not name. */
function customSchemas(): string {
  const [from, folder] = [dirname(findProgram('crds')!), newFolder()]
  const all = readdirSync(from).flatMap((file) => manifestsOf(read(join(from, file))))
  for (const { kind, spec } of all) {
    if (kind !== 'CustomResourceDefinition') continue
    const { group, names, versions } = spec
    for (const { name, schema } of versions)
      writeFileSync(
        join(folder, `${group}_${names.kind.toLowerCase()}_${name}.json`),
        JSON.stringify(strict(schema.openAPIV3Schema)),
      )
  }
  return join(folder, '{{.Group}}_{{.ResourceKind}}_{{.ResourceAPIVersion}}.json')
}
/** Refuses properties that a schema does not name, unless it says that others may stand there. */
function strict(schema: Part): Part {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(strict)
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, strict(value)]),
  )
  const isOpen = schema.additionalProperties ?? schema['x-kubernetes-preserve-unknown-fields']
  const isObject = schema.type === 'object' && schema.properties !== undefined
  return isObject && !isOpen ? { ...inner, additionalProperties: false } : inner
}

described('every file of values', () => {
  const places =
    lacks.length === 0
      ? [
          join(findProgram('kubernetesSchemas')!, '{{.ResourceKind}}{{.KindSuffix}}.json'),
          customSchemas(),
        ]
      : []
  const conform = (yaml: string) =>
    run(
      'kubeconform',
      [
        '-strict',
        '-summary',
        '-output',
        'json',
        ...places.flatMap((each) => ['-schema-location', each]),
      ],
      yaml,
    )

  test('helm lint finds nothing', () => {
    for (const file of VALUES) {
      const { status, stdout } = run('helm', [
        'lint',
        '--strict',
        '--quiet',
        CHART,
        '--values',
        file,
      ])
      expect({ file, status, stdout }).toEqual({ file, status: 0, stdout: '' })
    }
  })

  test.each(VALUES.map((file) => [basename(file, '-values.yaml'), file] as const))(
    '%s renders what Kubernetes and each operator accept',
    (_name, file) => {
      const { yaml, manifests } = rendered(file)
      const { status, stdout } = conform(yaml)
      const { resources = [], summary } = JSON.parse(stdout)
      expect({ status, resources }).toEqual({ status: 0, resources: [] })
      expect(summary).toEqual({ valid: manifests.length, invalid: 0, errors: 0, skipped: 0 })
    },
  )

  test('kubeconform refuses what nobody accepts', () => {
    const { yaml } = rendered(join(CHART, 'ci/gate-envoy-values.yaml'))
    for (const [from, to] of [
      ['failOpen: false', 'failsOpen: false'],
      ['maxUnavailable: 1', 'maxUnavailabel: 1'],
      ['parentRefs:', 'parents:'],
    ] as const)
      expect(conform(yaml.replace(from, to)).status).toBe(1)
  })
})

const GATE = {
  httpRoute: { enabled: true, hostnames: ['verify.example.com'], parentRefs: [{ name: 'public' }] },
  gate: {
    enabled: true,
    config: {
      service: 'https://verify.example.com',
      trusted_proxies: ['10.244.0.0/16'],
      gates: [
        { hosts: ['www.example.com'], sitekey: 'hv_site_AbCdEfGh', secret_file: '/secrets/www' },
      ],
    },
  },
}
const withGate = (change: object) => ({ ...GATE, gate: { ...GATE.gate, ...change } })
const withGateConfig = (change: object) => withGate({ config: { ...GATE.gate.config, ...change } })
const REDIS = { url: 'redis://redis.example.com:6379/0' }

described('refuses to render', () => {
  test.each<[string, object, string]>([
    [
      'two pods with a store of their own',
      { store: { kind: 'embedded' }, autoscaling: { enabled: false }, config: { redis: null } },
      'each would accept a token once',
    ],
    [
      'an autoscaler with such a store',
      { store: { kind: 'embedded' }, replicas: 1, config: { redis: null } },
      'up to 10 pods may run',
    ],
    ['two pods without shared keys', { keyring: { secret: '' } }, 'keyring.secret is empty'],
    ['a shared store that nothing names', { config: { redis: null } }, 'no store is named'],
    [
      'a store that may evict',
      { store: { maxmemoryPolicy: 'allkeys-lru' } },
      'a store that evicts forgets',
    ],
    [
      'a store that may evict what expires',
      { store: { maxmemoryPolicy: 'volatile-ttl' } },
      'a store that evicts forgets',
    ],
    [
      'an embedded store beside a named one',
      { store: { kind: 'embedded' }, replicas: 1, autoscaling: { enabled: false } },
      'and a store is named',
    ],
    [
      'a password in the url, which a ConfigMap would hold',
      { config: { redis: { url: 'redis://hv:secret@redis.example.com:6379/0' } } },
      'a ConfigMap is no secret',
    ],
    [
      'a password in the settings',
      { config: { redis: { ...REDIS, password: 'x' } } },
      'a ConfigMap is no secret',
    ],
    [
      'a mounted password that nothing reads',
      { store: { passwordSecret: { name: 'x' } } },
      'nothing reads it',
    ],
    ['two configurations', { configMap: 'mine' }, 'config and configMap are both set'],
    ['no configuration', { config: null }, 'set config or configMap'],
    [
      'Sentinels that no pod could reach',
      {
        config: {
          redis: {
            url: null,
            sentinel: { name: 'hv', nodes: ['sentinel-1.example.com:26379'] },
          },
        },
      },
      'names port 26379',
    ],
    [
      'a store that no pod could reach',
      { config: { redis: { url: 'rediss://redis.example.com:6380/0' } } },
      'names port 6380',
    ],
    [
      'a route of no Gateway',
      { httpRoute: { enabled: true } },
      'name the Gateway that serves the route',
    ],
    [
      'an entrance without a name',
      { config: null, configMap: 'mine', ingress: { enabled: true } },
      'an entrance without a name',
    ],
    ['two entrances', { ...GATE, ingress: { enabled: true } }, 'choose one'],
    [
      'fewer pods at most than at least',
      { autoscaling: { min: 3, max: 2 } },
      'autoscaling.min is above',
    ],
    ['a gate without sites', withGateConfig({ gates: [] }), 'gate/config/gates'],
    ['a gate that trusts no proxy', withGateConfig({ trusted_proxies: [] }), 'trusted_proxies'],
    [
      'a gate’s secret that is not mounted',
      withGateConfig({ gates: [{ ...GATE.gate.config.gates[0], secret_file: 'secret' }] }),
      'is not below /secrets',
    ],
    [
      'a gate whose page is not reached',
      { gate: GATE.gate },
      'gate.enabled needs httpRoute or ingress',
    ],
    [
      'a policy of the gate without a gate',
      { gate: { traefik: { enabled: true } } },
      'shuts everybody out',
    ],
    [
      'a setting that there is none of',
      { config: { score_treshold: 0.5 } },
      "additional properties 'score_treshold' not allowed",
    ],
    [
      'a setting out of its range',
      {
        config: {
          sites: [
            {
              sitekey: 'hv_site_example1',
              secrets: [],
              hostnames: ['a.example'],
              score_threshold: 50,
            },
          ],
        },
      },
      "score_threshold': maximum: got 50",
    ],
    [
      'a setting of the gate that there is none of',
      withGateConfig({ hosts: [] }),
      "additional properties 'hosts' not allowed",
    ],
    [
      'a port that the chart gives',
      { config: { listen: '0.0.0.0:80' } },
      "additional properties 'listen' not allowed",
    ],
  ])('%s', (_what, values, said) => {
    const file = join(newFolder(), 'values.yaml')
    writeFileSync(file, stringify(values))
    const { status, stdout, stderr } = template(['--values', file])
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain(said)
  })
})

described('what is rendered', () => {
  const kinds = (manifests: Manifest[]) => manifests.map(({ kind }) => kind).sort()
  const of = (manifests: Manifest[], kind: string, name?: string) =>
    manifests.find(
      (each) => each.kind === kind && (name === undefined || each.metadata.name === name),
    )!

  test('is a configuration that the service takes, with variables that exist', () => {
    for (const file of VALUES) {
      const { manifests } = rendered(file)
      const text = of(manifests, 'ConfigMap', 'verify-config')?.data?.['config.yaml']
      const { containers } = of(manifests, 'Deployment', 'verify').spec.template.spec
      const names = (containers[0].env as { name: string }[]).map(({ name }) => name)
      const settings = read(join(ROOT, 'config/README.md'))
      expect(names.filter((name) => !settings.includes(name))).toEqual([])
      if (text === undefined) continue
      const config = join(newFolder(), 'config.yaml')
      // Two files that are mounted in the pod alone.
      const mounted = join(newFolder(), 'file')
      writeFileSync(mounted, 'a password', { mode: 0o600 })
      writeFileSync(config, text.replaceAll(/\/store(-ca)?\/[a-z.]+/g, mounted))
      const url = names.includes('HV_REDIS_URL') ? { HV_REDIS_URL: REDIS.url } : {}
      expect(loadConfig(config, url).sites).toHaveLength(1)
    }
  })

  test.each(['gate-envoy', 'gate-traefik'])(
    'is a configuration that the gate takes: %s',
    (name) => {
      const { manifests } = rendered(join(CHART, `ci/${name}-values.yaml`))
      const text = of(manifests, 'ConfigMap', 'verify-gate').data!['hv-gate.yaml']!
      const folder = newFolder()
      const [file, secret, key] = ['hv-gate.yaml', 'secret', 'key.json'].map((each) =>
        join(folder, each),
      )
      writeFileSync(secret!, `hv_secret_${'a'.repeat(43)}\n`, { mode: 0o600 })
      writeFileSync(key!, withNewKey(), { mode: 0o600 })
      writeFileSync(
        file!,
        text.replaceAll(/\/secrets\/\S+/g, secret!).replace('/keys/gate-key.json', key!),
      )
      expect(readSettings(file!).listen).toEqual({ host: '::', port: 8090 })
    },
  )

  test('sends the gate, by Envoy Gateway, the headers that the sample for Envoy sends', () => {
    const { manifests } = rendered(join(CHART, 'ci/gate-envoy-values.yaml'))
    const { headersToExtAuth, http, failOpen } = of(manifests, 'SecurityPolicy').spec.extAuth
    const sample = read(join(ROOT, 'deploy/gate/envoy.yaml'))
    const [asked = ''] = /allowed_headers:[^]*?authorization_response/.exec(sample)!
    const patterns = [...asked.matchAll(/\{(prefix|exact): ([\w-]+)\}/g)].map(([, how, text]) => ({
      how,
      text: text!,
    }))
    const isMeant = (name: string) =>
      patterns.some(({ how, text }) => (how === 'exact' ? name === text : name.startsWith(text)))
    // The prefixes of the sample are spelled out.
    expect((headersToExtAuth as string[]).filter((name) => !isMeant(name))).toEqual([])
    expect(
      patterns.filter(({ how, text }) => how === 'exact' && !headersToExtAuth.includes(text)),
    ).toEqual([])
    expect({ failOpen, ...http }).toMatchObject({
      failOpen: false,
      path: '/check/envoy',
      headersToBackend: ['x-hv-clearance', 'x-hv-guest'],
    })
  })

  test('routes /.hv/ of every host of the gate to the gate, and the service’s name to the service', () => {
    const { manifests } = rendered(join(CHART, 'ci/gate-traefik-values.yaml'))
    const routes = manifests
      .filter(({ kind }) => kind === 'Ingress')
      .flatMap(({ spec }) =>
        spec.rules.map(({ host, http }: Part) => [
          host,
          http.paths[0].path,
          http.paths[0].backend.service.name,
        ]),
      )
    expect(routes).toEqual([
      ['verify.example.com', '/', 'verify'],
      ['www.example.com', '/.hv/', 'verify-gate'],
      ['*.shop.example.com', '/.hv/', 'verify-gate'],
    ])
  })

  test('gives an entrance without hostnames that of public_url', () => {
    const { httpRoute } = GATE
    const { manifests } = rendered({ httpRoute: { ...httpRoute, hostnames: [] } })
    expect(of(manifests, 'HTTPRoute').spec.hostnames).toEqual(['verify.example.com'])
  })

  test('lets no Service and no budget take the pod of helm test for one of theirs', () => {
    for (const file of VALUES) {
      const { manifests } = rendered(file)
      const { labels = {} } = of(manifests, 'Pod').metadata
      const selectors = manifests
        .filter(({ kind }) => /^(Service|PodDisruptionBudget|Deployment)$/.test(kind))
        .map(({ spec }) => (spec.selector.matchLabels ?? spec.selector) as Record<string, string>)
      const isTaken = (selector: Record<string, string>) =>
        Object.entries(selector).every(([name, value]) => labels[name] === value)
      expect(selectors.filter(isTaken)).toEqual([])
      expect(selectors.length).toBeGreaterThanOrEqual(2)
    }
  })

  test('lets the pods reach each port of a store with Sentinels', () => {
    const { manifests } = rendered(join(CHART, 'ci/sentinel-values.yaml'))
    const [store] = of(manifests, 'NetworkPolicy').spec.egress
    expect(store.ports.map(({ port }: Part) => port)).toEqual([6379, 26_379])
  })

  test('by one process never runs two side by side', () => {
    const { manifests } = rendered(join(CHART, 'ci/embedded-values.yaml'))
    expect(of(manifests, 'Deployment').spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'Recreate' },
    })
    expect(kinds(manifests)).not.toContain('HorizontalPodAutoscaler')
    expect(kinds(manifests)).not.toContain('PodDisruptionBudget')
    // It asks nothing but DNS.
    expect(of(manifests, 'NetworkPolicy').spec.egress).toHaveLength(1)
  })

  test('names no controller and no port of the ops listener outside of the pods', () => {
    for (const file of VALUES) {
      const { yaml, manifests } = rendered(file)
      expect(yaml).not.toContain('ingress-nginx')
      for (const { spec } of manifests.filter(({ kind }) => kind === 'Service'))
        expect(
          spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort),
        ).not.toContain('ops')
    }
  })

  test('has rules that promtool accepts', () => {
    const { manifests } = rendered(join(CHART, 'ci/prometheus-operator-values.yaml'))
    const file = join(newFolder(), 'rules.yml')
    writeFileSync(file, stringify(of(manifests, 'PrometheusRule').spec))
    if (findProgram('promtool') === undefined) return
    const { status, stdout } = run('promtool', ['check', 'rules', file])
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('SUCCESS') })
  })

  test('has a pod for helm test that passes against a service, and fails where there is none', async () => {
    const service = await testService({ siteList: [site()] })
    const { manifests } = rendered(VALUES[0]!)
    const [container] = of(manifests, 'Pod').spec.containers
    const codeAt = async (url: string) => {
      const [, , script] = container.command as [string, string, string]
      const base = script.replace('http://verify.human-verification.svc', url)
      const child = spawn(process.execPath, ['-e', base], { stdio: 'ignore' })
      return (await once(child, 'exit'))[0] as number
    }
    expect(await codeAt(service.base.replace(/\/$/, ''))).toBe(0)
    expect(await codeAt('http://127.0.0.1:1')).toBe(1)
  })
})

described('deploy/kubernetes', () => {
  test('has the files that the chart renders by default (node .ci/render-chart.mjs writes them)', () => {
    for (const [name, text] of renderedDefault())
      expect({ name, text: read(join(KUSTOMIZE, name)) }).toEqual({ name, text })
  })

  test('gives, by kustomize, the objects of the chart', () => {
    const folder = newFolder()
    cpSync(KUSTOMIZE, folder, { recursive: true })
    writeFileSync(join(folder, 'keyring.json'), '{}')
    const { status, stdout, stderr } = run('kubectl', ['kustomize', folder])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const byKind = (manifests: Manifest[]) =>
      Object.fromEntries(manifests.map((each) => [each.kind, plain(each)]))
    /** Without what only helm says, and with the configuration read. */
    const plain = ({ metadata: { labels: _labels, ...metadata }, data, ...rest }: Manifest) => ({
      ...rest,
      metadata,
      data:
        data && Object.fromEntries(Object.entries(data).map(([name, text]) => [name, parse(text)])),
    })
    const { Namespace, Secret, ...ours } = byKind(manifestsOf(stdout))
    const { Pod: _test, ...chart } = byKind(
      rendered(VALUES.find((each) => each.endsWith('default-values.yaml'))!).manifests,
    )
    expect(ours).toEqual(chart)
    expect([Namespace?.metadata.name, Secret?.metadata.name]).toEqual([NAMESPACE, 'keyring'])
  })
})

describe('the sample for Kustomize', () => {
  const deployment = parse(read(join(KUSTOMIZE, 'deployment.yaml'))) as Manifest
  const pod = deployment.spec.template.spec
  const container = pod.containers[0]

  test('has what its files have, and probes that exist', () => {
    const { resources } = parse(read(join(KUSTOMIZE, 'kustomization.yaml'))) as {
      resources: string[]
    }
    const files = readdirSync(KUSTOMIZE).filter(
      (file) => !/^(kustomization|config)\.yaml$|json$/.test(file),
    )
    expect([...resources].sort()).toEqual(files.sort())
    const ports = new Map<string, number>(
      container.ports.map(({ name, containerPort }: Part) => [name, containerPort]),
    )
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
      ({ httpGet }) => [httpGet.path, ports.has(httpGet.port)],
    )
    expect(probes).toEqual([
      ['/live', true],
      ['/live', true],
      ['/ready', true],
    ])
    const env = new Map<string, string>(container.env.map(({ name, value }: Part) => [name, value]))
    expect(env.get('HV_LISTEN')).toBe(`[::]:${ports.get('http')}`)
    expect(env.get('HV_OPS_LISTEN')).toBe(`[::]:${ports.get('ops')}`)
    expect(loadConfig(join(KUSTOMIZE, 'config.yaml'), {}).keyring).toBe(env.get('HV_KEYRING'))
  })

  test('gives the pod minimal rights, protects its keyring and leaves time to drain', () => {
    expect(pod.securityContext.runAsNonRoot).toBe(true)
    expect(pod.automountServiceAccountToken).toBe(false)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    // 0440: the service refuses a keyring that others can read. In YAML 1.1, which Kubernetes reads, 0440 is octal.
    expect(read(join(KUSTOMIZE, 'deployment.yaml'))).toMatch(/defaultMode: 0440$/m)
    const preStop =
      Number(/(\d+)\)$/.exec(container.lifecycle.preStop.exec.command.at(-1))![1]) / 1000
    // src/serve.ts: ten seconds in all for what is in flight, the notice included.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(preStop + 10)
  })
})
