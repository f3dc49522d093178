/** Named guests behind each proxy's sample, with another proxy in front that says where a visitor comes from. */
import { describe, expect, test } from '@jest/globals'
import { site, testService } from '../../support/app.ts'
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

const service = await testService({ siteList: [site({ hostnames: ['127.0.0.1'] })] })
const GUESTS = {
  guests: ['search-engines', 'feeds', 'package-clients'],
  rules: [
    {
      name: 'hooks',
      when: { guest: ['webhooks'], path: ['/hooks/*'], method: ['POST'] },
      effect: 'allow',
    },
  ],
}
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const [GOOGLE, STRANGER, GITHUB] = ['66.249.66.1', '203.0.113.7', '140.82.115.3']

const ROWS = [
  { who: 'Googlebot', from: GOOGLE, agent: GOOGLEBOT, path: '/list?page=2', status: 200 },
  { who: 'a liar', from: STRANGER, agent: GOOGLEBOT, path: '/list?page=2', status: 401 },
  {
    who: "GitHub's hook",
    from: GITHUB,
    agent: 'GitHub-Hookshot/1',
    path: '/hooks/x',
    method: 'POST',
    status: 200,
  },
  {
    who: "GitHub's hook elsewhere",
    from: GITHUB,
    agent: 'GitHub-Hookshot/1',
    path: '/login',
    method: 'POST',
    status: 401,
  },
  { who: 'Miniflux', from: STRANGER, agent: 'Miniflux/2.2', path: '/feed.xml', status: 200 },
  {
    who: 'Miniflux at an article',
    from: STRANGER,
    agent: 'Miniflux/2.2',
    path: '/feed.xml?p=1',
    status: 401,
  },
  {
    who: 'git',
    from: STRANGER,
    agent: 'git/2.43.0',
    path: '/x.git/info/refs?service=git-upload-pack',
    status: 200,
  },
  {
    who: 'apt',
    from: STRANGER,
    agent: 'Debian APT-HTTP/1.3',
    path: '/debian/dists/stable/InRelease',
    status: 200,
  },
] as const

describe.each(Object.entries(PROXIES))('behind %s', (name, startProxy) => {
  test('each client is answered as its row says', async () => {
    const settings = { trusted_proxies: ['127.0.0.1', CDN] }
    const [gate, app] = [
      await startGate(gateFiles(service.base, GUESTS, settings)),
      await startSite(),
    ]
    const proxy = await startProxy(gate.host, app.host, withCdnRows(name))
    const answers: object[] = []
    for (const row of ROWS) {
      const cdn = await startCdn(proxy.url, row.from)
      const method = 'method' in row ? row.method : 'GET'
      const { status } = await ask(
        cdn.url,
        row.path,
        { 'user-agent': row.agent, accept: '*/*', 'x-hv-guest': 'verified forged' },
        method,
      )
      answers.push({ ...row, status })
    }
    expect(answers).toEqual(ROWS)
    const told = app.seen.map(({ headers }) => headers['x-hv-guest'])
    expect(told.slice(0, 3)).toEqual(['verified googlebot', 'verified github-hooks', 'unknown'])
  })
})
