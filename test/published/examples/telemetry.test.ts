/** docs/operate/telemetry.md: the service under OpenTelemetry's automatic instrumentation, and what it exports. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { serve } from '../../../packages/client/test/cases.ts'
import { closeLater } from '../../support/close-later.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { CONFIG, SECRET, startService } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { BROWSER, token } from '../../support/visitor.ts'
import { installFrameworks, ROOT } from './projects.ts'

const VISITOR = '203.0.113.77'

interface Attribute {
  readonly key: string
  readonly value: unknown
}
interface Span {
  readonly traceId: string
  readonly name: string
  readonly attributes: readonly Attribute[]
}
interface Scope {
  readonly scope: { readonly name: string }
  readonly spans: readonly Span[]
}
interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly Scope[] }[]
}

const page = readFileSync(join(ROOT, 'docs/operate/telemetry.md'), 'utf8')
/** The blocks of the page: the environment of the service, and the Collector's configuration. */
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(page)![1]!
const LEFT_OUT = (
  parse(blockOf('yaml')) as {
    processors: { 'attributes/private': { actions: { key: string; action: string }[] } }
  }
).processors['attributes/private'].actions

beforeAll(installFrameworks, 300_000)

/** Starts a service as the page says, and a collector for what it exports. */
async function start() {
  const bodies: string[] = []
  const collector = await serve((_req, res, body) => {
    bodies.push(body)
    res.setHeader('content-type', 'application/json').end('{}')
  })
  closeLater(collector, (it) => it.stop())
  const redis = await startRedis()
  const installed = join(import.meta.dirname, 'node_modules')
  const lines = blockOf('sh')
    .replaceAll('\\\n', '')
    .matchAll(/^export (\w+)="?(.*?)"?$/gm)
  const settings = Object.fromEntries(
    [...lines].map(([, name, value]) => [
      name!,
      value!.replaceAll('@opentelemetry', `${installed}/@opentelemetry`),
    ]),
  )
  const service = await startService({
    config: { ...CONFIG, redis: { url: redis.url }, trusted_proxies: ['127.0.0.1/32'] },
    env: {
      ...settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.base,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  })
  const scopes = (): Scope[] =>
    bodies.flatMap((body) =>
      (JSON.parse(body) as Export).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans),
    )
  return { service, bodies, scopes }
}

const spansOf = (scopes: readonly Scope[], name: string): Span[] =>
  scopes.flatMap(({ scope, spans }) => (scope.name.endsWith(name) ? spans : []))
const pathOf = ({ attributes }: Span): string =>
  JSON.stringify(attributes.find(({ key }) => key === 'url.path'))

test('a trace of siteverify has HTTP and ioredis; the export has no token, secret or address', async () => {
  const { service, bodies, scopes } = await start()
  const headers = { ...BROWSER, 'x-forwarded-for': VISITOR }
  const response = await token({ ...service.ask, headers })
  const answer = await fetch(`${service.url}/api/v1/siteverify`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ secret: SECRET, response, action: 'sign-up', remoteip: VISITOR }),
  })
  expect(await answer.json()).toMatchObject({ success: true })

  await eventually(() => {
    const verified = spansOf(scopes(), 'instrumentation-http').find((span) =>
      pathOf(span).includes('/siteverify'),
    )
    const beside = spansOf(scopes(), 'instrumentation-ioredis').filter(
      ({ traceId }) => traceId === verified?.traceId,
    )
    // One counts the limit of the site, the other consumes the token.
    expect(beside.map(({ name }) => name)).toEqual(['evalsha', 'evalsha'])
  })

  const exported = bodies.join()
  for (const secret of [SECRET, response, response.split('.')[2]!])
    expect(exported).not.toContain(secret)
  // The instrumentation exports addresses by itself; the page's Collector deletes what has them.
  expect(exported).toContain(VISITOR)
  const deleted = new Set(LEFT_OUT.map(({ key }) => key))
  const attributes = scopes().flatMap(({ spans }) => spans.flatMap((span) => span.attributes))
  const kept = JSON.stringify(attributes.filter(({ key }) => !deleted.has(key)))
  for (const text of [VISITOR, '127.0.0.1', BROWSER['user-agent'], '{hv}'])
    expect(kept).not.toContain(text)
  expect(await service.stop()).toBe(0)
}, 120_000)
