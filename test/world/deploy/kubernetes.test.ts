/** deploy/kubernetes, held against Kubernetes' own schemas, against itself, and against what the service really has. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { Namespace } from 'kubernetes-models/v1/Namespace'
import { Service } from 'kubernetes-models/v1/Service'
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount'
import { parse } from 'yaml'
import { loadConfig } from '../../../src/settings/load.ts'
import { ROOT } from './root.ts'

const FOLDER = join(ROOT, 'deploy/kubernetes')
// The caller says what the file is; the models check it.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
const read = <T>(file: string): T => parse(readFileSync(join(FOLDER, file), 'utf8')) as T
const MODELS = {
  Deployment,
  HorizontalPodAutoscaler,
  NetworkPolicy,
  PodDisruptionBudget,
  Namespace,
  Service,
  ServiceAccount,
} as const

interface Kustomization {
  readonly resources: readonly string[]
  readonly configMapGenerator: readonly { readonly name: string; readonly files: readonly string[] }[]
  readonly secretGenerator: readonly { readonly name: string; readonly files: readonly string[] }[]
}
const kustomization = read<Kustomization>('kustomization.yaml')

test.each(kustomization.resources)('%s is what Kubernetes calls so', (file) => {
  const manifest = read<{ kind: keyof typeof MODELS; apiVersion: string }>(file)
  const model = new MODELS[manifest.kind](manifest as never)
  expect(() => model.validate()).not.toThrow()
  expect(model.apiVersion).toBe(manifest.apiVersion)
})

test('every manifest is a resource, and the keyring is never in git', () => {
  const others = ['kustomization.yaml', ...kustomization.configMapGenerator.flatMap(({ files }) => files)]
  const there = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'))
  expect(there.toSorted()).toEqual([...kustomization.resources, ...others].toSorted())
  expect(readFileSync(join(ROOT, '.gitignore'), 'utf8')).toContain('keyring.json')
})

describe('the deployment', () => {
  const deployment = read<Deployment>('deployment.yaml')
  const pod = deployment.spec!.template.spec!
  const container = pod.containers[0]!

  test('is selected by its service, its budget and its policy', () => {
    const labels = deployment.spec!.template.metadata!.labels
    expect(deployment.spec!.selector.matchLabels).toEqual(labels)
    expect(read<Service>('service.yaml').spec!.selector).toEqual(labels)
    expect(read<PodDisruptionBudget>('disruption.yaml').spec!.selector!.matchLabels).toEqual(labels)
    expect(read<NetworkPolicy>('network.yaml').spec!.podSelector!.matchLabels).toEqual(labels)
  })

  test('asks ports and paths that are there; the ops listener has no service', () => {
    const ports = new Map(container.ports!.map(({ name, containerPort }) => [name, containerPort]))
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
    for (const probe of probes) expect(ports.has(String(probe!.httpGet!.port))).toBe(true)
    const paths = probes.map((probe) => probe!.httpGet!.path)
    expect(paths).toEqual(['/live', '/live', '/ready'])
    const env = new Map(container.env!.map(({ name, value }) => [name, value]))
    expect(env.get('HV_LISTEN')).toBe(`0.0.0.0:${ports.get('http')}`)
    expect(env.get('HV_OPS_LISTEN')).toBe(`0.0.0.0:${ports.get('ops')}`)
    expect(read<Service>('service.yaml').spec!.ports!.map(({ targetPort }) => targetPort)).toEqual(['http'])
  })

  test('mounts the generated files where the variables say', () => {
    const env = new Map(container.env!.map(({ name, value }) => [name, value!]))
    const mounts = new Map(container.volumeMounts!.map(({ name, mountPath }) => [name, mountPath]))
    expect(env.get('HV_CONFIG')).toBe(`${mounts.get('sites')}/${kustomization.configMapGenerator[0]!.files[0]}`)
    expect(env.get('HV_KEYRING')).toBe(`${mounts.get('keyring')}/${kustomization.secretGenerator[0]!.files[0]}`)
    // 0440: the service refuses a keyring that others can read.
    expect(pod.volumes!.find(({ secret }) => secret)!.secret!.defaultMode! & 0o007).toBe(0)
    expect(pod.securityContext!.fsGroup).toBe(pod.securityContext!.runAsGroup)
  })

  test('every variable is a setting', () => {
    const settings = readFileSync(join(ROOT, 'config/README.md'), 'utf8')
    expect(container.env!.map(({ name }) => name).filter((name) => !settings.includes(name))).toEqual([])
  })

  test('may do nothing that the service does not do', () => {
    expect(pod.securityContext!.runAsNonRoot).toBe(true)
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod.automountServiceAccountToken).toBe(false)
  })

  test('a pod that goes has time for its notice and for what is in flight', () => {
    const preStop = Number(/(\d+)\)$/.exec(container.lifecycle!.preStop!.exec!.command!.at(-1)!)![1]) / 1000
    // src/serve.ts: ten seconds in all for what is in flight, the notice included.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(preStop + 10)
  })

  test('of a rolling update no pod is missing, and two are the least there are', () => {
    expect(deployment.spec!.strategy!.rollingUpdate!.maxUnavailable).toBe(0)
    const autoscaler = read<HorizontalPodAutoscaler>('autoscaler.yaml')
    expect(autoscaler.spec!.minReplicas).toBe(2)
    expect(autoscaler.spec!.scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'verify' })
    expect(read<PodDisruptionBudget>('disruption.yaml').spec!.minAvailable).toBe(1)
  })
})

test('the sample of the ConfigMap loads, without the pod’s environment too, and names the pod’s keyring', () => {
  const config = loadConfig(join(FOLDER, 'config.yaml'), {})
  const container = read<Deployment>('deployment.yaml').spec!.template.spec!.containers[0]!
  expect(config.keyring).toBe(container.env!.find(({ name }) => name === 'HV_KEYRING')!.value)
  expect(config.sites).toHaveLength(1)
  const allowed = read<NetworkPolicy>('network.yaml').spec!.egress!.flatMap(({ ports = [] }) => ports)
  expect(allowed.map(({ port }) => port)).toContain(Number(new URL(config.redis!.url!).port))
})
