/** Named guests and signed agents behind each proxy's sample, with another proxy in front that says where a visitor comes from. */
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { fetchedFileOf } from '../../../packages/gate/src/fetched-lists.ts'
import { site, testService } from '../../support/app.ts'
import { startDns } from '../../support/dns-server.ts'
import {
  ask,
  CDN,
  gateFiles,
  PROXIES,
  startCdn,
  startGate,
  startSite,
  withCdnRows,
} from '../../support/gate.ts'
import {
  BINGBOT,
  type Client,
  CLIENTS,
  CLOSED,
  FETCHED,
  HOOK,
  LISTS,
  STRANGER,
} from '../../support/gate-clients.ts'
import { signingAgent } from '../../support/signing-agent.ts'

const service = await testService({ siteList: [site({ hostnames: ['127.0.0.1'] })] })
const agent = await signingAgent()
const BING = '198.51.100.91'
const NAME = 'msnbot-198-51-100-91.search.msn.com'
const ZONE = { 'PTR 91.100.51.198.in-addr.arpa': [NAME], [`A ${NAME}`]: [BING] }
const ROWS: readonly Client[] = [
  ...CLIENTS,
  {
    who: 'bingbot by its host name',
    rule: 'bingbot',
    is: 'verified',
    agent: BINGBOT,
    address: BING,
  },
]
const SIGNED = { name: 'signed', when: { agent: ['signer'] }, effect: 'allow' }
const STATUS: Readonly<Record<string, number>> = { none: 401, closed: 403 }

describe.each(Object.entries(PROXIES))('behind %s', (name, startProxy) => {
  const started = async () => {
    const dns = await startDns(ZONE)
    const file = gateFiles(
      service.base,
      { guests: LISTS, rules: [CLOSED, HOOK, SIGNED] },
      {
        trusted_proxies: ['127.0.0.1', CDN],
        name_servers: [dns.server],
        agents: [{ name: 'signer', url: 'https://agent.test' }],
      },
    )
    writeFileSync(fetchedFileOf(file), JSON.stringify(FETCHED))
    const gate = await startGate(file, async (url) => {
      if (!url.endsWith('directory')) throw new Error('status 404')
      return agent.directory
    })
    const app = await startSite()
    const proxy = await startProxy(gate.host, app.host, withCdnRows(name))
    return { gate, app, proxy }
  }

  test('each client is answered as its row says', async () => {
    const { app, proxy } = await started()
    const answers: object[] = []
    for (const row of ROWS) {
      const { address = STRANGER, target = '/page', method = 'GET', headers = {} } = row
      const cdn = await startCdn(proxy.url, address)
      const sent = { 'user-agent': row.agent, accept: '*/*', 'x-hv-guest': 'verified forged' }
      const before = app.seen.length
      const { status } = await ask(cdn.url, target, { ...sent, ...headers }, { method })
      const told = String(app.seen[before]?.headers['x-hv-guest'])
      answers.push({ who: row.who, status, is: status === 200 ? told.split(' ')[0] : row.is })
    }
    expect(answers).toEqual(
      ROWS.map(({ who, rule, is }) => ({ who, status: STATUS[rule] ?? 200, is })),
    )
  })

  test('an agent is let in by its signature, for this host, in time, and once', async () => {
    const { gate, app, proxy } = await started()
    const cdn = await startCdn(proxy.url, STRANGER)
    const now = Math.floor(Date.now() / 1000)
    const right = await agent.headers(`${cdn.url}/page`, now, 'GET')
    const rows = [
      { who: 'the agent', headers: right, status: 200, result: 'verified' },
      { who: 'a replay', headers: right, status: 401, result: 'replayed' },
      {
        who: 'a signature for another host',
        headers: await agent.headers('https://shop.example.com/page', now, 'GET'),
        status: 401,
        result: 'invalid',
      },
      {
        who: 'a stale signature',
        headers: await agent.headers(`${cdn.url}/page`, now - 600, 'GET'),
        status: 401,
        result: 'expired',
      },
      {
        who: 'a stranger',
        headers: await (await signingAgent()).headers(`${cdn.url}/page`, now, 'GET'),
        status: 401,
        result: 'unknown-key',
      },
    ]
    for (const { who, headers, status } of rows)
      expect({ who, status: (await ask(cdn.url, '/page', headers)).status }).toEqual({
        who,
        status,
      })
    expect(app.seen.map(({ headers }) => headers['x-hv-guest'])).toEqual(['verified signer'])
    const metrics = await gate.ops('/metrics')
    for (const { result } of rows)
      expect(metrics).toContain(`hv_gate_signatures_total{agent="signer",result="${result}"} 1`)
  })
})
