/** deploy/platforms: each file by the schema or the documented fields of its platform, and all with the image of this version. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { composeErrors } from '../../support/compose-schema.ts'
import { ROOT } from '../../support/root.ts'

const FOLDER = join(ROOT, 'deploy/platforms')
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string
}
const strict = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const text = { type: 'string' }
const list = (items: object) => ({ type: 'array', items, minItems: 1 })
const count = { type: 'integer', minimum: 1 }
const errorsOf = (schema: object, value: unknown) => {
  const ajv = new Ajv({ allErrors: true })
  ajv.validate(schema, value)
  return ajv.errors
}

test('every file of the folder is in the table of docs/operate/platforms.md', () => {
  const page = readFileSync(join(ROOT, 'docs/operate/platforms.md'), 'utf8')
  const missing = readdirSync(FOLDER).filter(
    (file) => !page.includes(`(../../deploy/platforms/${file})`),
  )
  expect(missing).toEqual([])
})

test('each file that names an image names that of this version', () => {
  const images = readdirSync(FOLDER).flatMap(
    (file) => read(file).match(/ghcr\.io\/[^\s"']+/g) ?? [],
  )
  expect(new Set(images.map((image) => image.split(':')[1]))).toEqual(new Set([version]))
})

// templates/compose of github.com/coollabsio/coolify, 2026-08
test('coolify.yaml is valid for Compose and says where the service listens', () => {
  const template = parse(read('coolify.yaml')) as {
    services: { verify: { environment: string[] } }
  }
  expect(composeErrors(template)).toBeNull()
  expect(read('coolify.yaml')).toMatch(/^# port: 8080$/m)
  expect(template.services.verify.environment).toContain('SERVICE_URL_VERIFY_8080')
})

// https://render.com/docs/blueprint-spec, 2026-11
test('render.yaml has the fields of a Blueprint', () => {
  const variable = {
    type: 'object',
    properties: { key: text, value: text, sync: { const: false } },
    required: ['key'],
    minProperties: 2,
    additionalProperties: false,
  }
  const service = strict({
    type: { const: 'web' },
    name: text,
    runtime: { const: 'docker' },
    dockerfilePath: { const: './Dockerfile' },
    plan: text,
    numInstances: { const: 1 },
    healthCheckPath: { const: '/health' },
    envVars: list(variable),
    disk: strict({ name: text, mountPath: { const: '/keys' }, sizeGB: count }),
  })
  expect(errorsOf(strict({ services: list(service) }), parse(read('render.yaml')))).toBeNull()
})

// https://docs.railway.com/reference/config-as-code, 2026-11
test('railway.json has the fields of a service', () => {
  const build = strict({
    builder: { const: 'DOCKERFILE' },
    dockerfilePath: { const: 'Dockerfile' },
  })
  const deploy = strict({
    healthcheckPath: { const: '/health' },
    healthcheckTimeout: count,
    numReplicas: { const: 1 },
    restartPolicyType: { enum: ['ON_FAILURE', 'ALWAYS', 'NEVER'] },
    restartPolicyMaxRetries: count,
  })
  expect(
    errorsOf(strict({ $schema: text, build, deploy }), JSON.parse(read('railway.json'))),
  ).toBeNull()
})

// https://easypanel.io/docs, "Custom templates", 2026-11
test('easypanel.json has the fields of an app', () => {
  const data = strict({
    serviceName: { type: 'string', pattern: '^[a-z0-9-]+$' },
    source: strict({ type: { const: 'image' }, image: text }),
    env: text,
    domains: list(strict({ host: text, port: { const: 8080 } })),
    mounts: list(strict({ type: { const: 'volume' }, name: text, mountPath: { const: '/keys' } })),
  })
  const app = strict({ type: { const: 'app' }, data })
  expect(errorsOf(strict({ services: list(app) }), JSON.parse(read('easypanel.json')))).toBeNull()
})

// podman-systemd.unit(5) of Podman 5, systemd.unit(5), systemd.service(5)
test('the quadlet has the keys of its sections', () => {
  const known: Record<string, readonly string[]> = {
    Unit: ['Description', 'Wants', 'After'],
    Container: ['Image', 'PublishPort', 'Volume', 'ReadOnly', 'DropCapability', 'NoNewPrivileges'],
    Service: ['Restart', 'TimeoutStopSec'],
    Install: ['WantedBy'],
  }
  let section = ''
  const unknown = read('human-verification.container')
    .split('\n')
    .filter((line) => {
      if (line === '' || line.startsWith('#')) return false
      const [, name] = /^\[(\w+)\]$/.exec(line) ?? []
      if (name !== undefined) section = name
      return name === undefined && !known[section]?.includes(line.split('=')[0]!)
    })
  expect(unknown).toEqual([])
})

test('the Nomad job closes what it opens, and names the port and the health of the service', () => {
  const job = read('human-verification.nomad.hcl').replaceAll(/^ *#.*$|"[^"\n]*"/gm, '')
  expect(job.split('{').length).toBe(job.split('}').length)
  expect(read('human-verification.nomad.hcl')).toMatch(/to = 8080[^]*path +=? ?.*"\/health"/)
})
