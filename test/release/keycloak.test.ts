/** The provider for Keycloak as an administrator uses it: the file of the release in `providers`, and nothing else of ours. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { obtainToken } from '../../src/doctor/visitor.ts'
import { protect } from '../keycloak/flows.ts'
import { startKeycloak } from '../keycloak/start.ts'
import { SECRET, site, SITEKEY, testService } from '../support/app.ts'
import { ROOT } from '../support/root.ts'
import { makeRelease, output, released } from './stranger.ts'

let jar: string
beforeAll(() => {
  makeRelease('keycloak')
  ;[jar] = released(/-keycloak-.+\.jar$/) as [string]
}, 300_000)

test('it has its licence, no class of anything else, and the version of this release', () => {
  expect(output('unzip', ['-p', jar, 'META-INF/LICENSE'])).toBe(
    readFileSync(join(ROOT, 'LICENSE'), 'utf8'),
  )
  const classes = output('unzip', ['-Z1', jar, '*.class']).trim().split('\n')
  const others = classes.filter((name) => !name.startsWith('io/github/humanverification/'))
  expect([classes.length > 4, others]).toEqual([true, []])
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string
  }
  const pom =
    'META-INF/maven/io.github.human-verification/human-verification-keycloak/pom.properties'
  expect(output('unzip', ['-p', jar, pom])).toContain(`version=${version}\n`)
})

test('in the folder providers it lets a visitor register once, and nobody without a token', async () => {
  // The visitor of the doctor has no browser, and so no score.
  const people = site({ hostnames: ['localhost'], scoreThreshold: 0 })
  const { url: service } = await testService({ siteList: [people] })
  const keycloak = await startKeycloak(jar)
  const clients = [{ clientId: 'shop', publicClient: true, redirectUris: ['*'] }]
  const realm = { realm: 'shop', enabled: true, registrationAllowed: true, clients }
  await keycloak.admin('POST', '', realm)
  await protect(keycloak, 'shop', 'registration', { service, sitekey: SITEKEY, secret: SECRET })

  const at = `${keycloak.url}/realms/shop`
  const query = new URLSearchParams({
    client_id: 'shop',
    response_type: 'code',
    redirect_uri: at,
  })
  /** Fills in the form of a new page. @returns whether the visitor is sent on with a code. */
  async function registers(name: string, token = ''): Promise<boolean> {
    const page = await fetch(`${at}/protocol/openid-connect/registrations?${query}`)
    const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(await page.text()) ?? []
    const cookies = page.headers.getSetCookie().map((each) => each.split(';', 1)[0])
    const fields = {
      username: name,
      password: 'correct horse',
      'password-confirm': 'correct horse',
      email: `${name}@example.com`,
      firstName: 'New',
      lastName: 'Person',
      'g-recaptcha-response': token,
    }
    const answer = await fetch(action.replaceAll('&amp;', '&'), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: cookies.join('; ') },
      body: new URLSearchParams(fields),
    })
    return /[?&]code=/.test(answer.headers.get('location') ?? '')
  }
  const origin = keycloak.url
  const page = { origin, sitekey: SITEKEY, action: 'registration' }
  const token = await obtainToken(new URL(service), page)
  expect(await registers('nobody')).toBe(false)
  expect([await registers('ada', token), await registers('bob', token)]).toEqual([true, false])
}, 900_000)
