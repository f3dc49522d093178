/** deploy/kubernetes, held against Kubernetes' own schemas, against itself, and against the service's settings. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import type { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { Service } from 'kubernetes-models/v1/Service'
import { parse } from 'yaml'
import { loadConfig } from '../../../src/settings/load.ts'
import { ROOT } from '../../support/root.ts'

const FOLDER = join(ROOT, 'deploy/kubernetes')
// The caller knows the type of the file; the models check it.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
const read = <T>(file: string): T => parse(readFileSync(join(FOLDER, file), 'utf8')) as T
const { resources } = read<{ resources: readonly string[] }>('kustomization.yaml')
const deployment = read<Deployment>('deployment.yaml')
const pod = deployment.spec!.template.spec!
const container = pod.containers[0]!
const env = new Map(container.env!.map(({ name, value }) => [name, value!]))

test.each(resources)('%s is valid', async (file) => {
  const manifest = read<{ kind: string; apiVersion: string }>(file)
  const model = `kubernetes-models/${manifest.apiVersion}/${manifest.kind}`
  const { [manifest.kind]: Model } = (await import(model)) as Record<
    string,
    new (of: object) => { validate(): void }
  >
  expect(() => new Model!(manifest).validate()).not.toThrow()
})

test('the service, the disruption budget and the network policy select the deployment', () => {
  const labels = deployment.spec!.template.metadata!.labels
  expect(deployment.spec!.selector.matchLabels).toEqual(labels)
  expect(read<Service>('service.yaml').spec!.selector).toEqual(labels)
  expect(read<PodDisruptionBudget>('disruption.yaml').spec!.selector!.matchLabels).toEqual(labels)
  expect(read<NetworkPolicy>('network.yaml').spec!.podSelector!.matchLabels).toEqual(labels)
})

test('the probes use existing ports and paths; no service exposes the ops listener', () => {
  const ports = new Map(container.ports!.map(({ name, containerPort }) => [name, containerPort]))
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
    (each) => each!.httpGet!,
  )
  expect(probes.map(({ port, path }) => [ports.has(String(port)), path])).toEqual([
    [true, '/live'],
    [true, '/live'],
    [true, '/ready'],
  ])
  expect(env.get('HV_LISTEN')).toBe(`[::]:${ports.get('http')}`)
  expect(env.get('HV_OPS_LISTEN')).toBe(`[::]:${ports.get('ops')}`)
  expect(read<Service>('service.yaml').spec!.ports!.map(({ targetPort }) => targetPort)).toEqual([
    'http',
  ])
})

test('the pod has minimal rights, protects its keyring and has time to drain', () => {
  expect(pod.securityContext!.runAsNonRoot).toBe(true)
  expect(pod.automountServiceAccountToken).toBe(false)
  expect(container.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  // 0440: the service refuses a keyring that others can read.
  expect(pod.volumes!.find(({ secret }) => secret)!.secret!.defaultMode! & 0o007).toBe(0)
  const preStop =
    Number(/(\d+)\)$/.exec(container.lifecycle!.preStop!.exec!.command!.at(-1)!)![1]) / 1000
  // src/serve.ts: ten seconds in all for what is in flight, the notice included.
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(preStop + 10)
})

test('the sample configuration loads, also without the environment of the pod, whose variables all exist', () => {
  const config = loadConfig(join(FOLDER, 'config.yaml'), {})
  expect(config.keyring).toBe(env.get('HV_KEYRING'))
  const settings = readFileSync(join(ROOT, 'config/README.md'), 'utf8')
  expect([...env.keys()].filter((name) => !settings.includes(name))).toEqual([])
  const allowed = read<NetworkPolicy>('network.yaml').spec!.egress!.flatMap(
    ({ ports = [] }) => ports,
  )
  expect(allowed.map(({ port }) => port)).toContain(Number(new URL(config.redis!.url!).port))
})
