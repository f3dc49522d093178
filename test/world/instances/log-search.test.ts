/**
 * docs/design/threats.md, "Promises": a whole run of a real service, everything that goes wrong
 * included, and then its log and error output searched for every secret, token, key and full address that was used.
 */
import { expect, test } from '@jest/globals'
import { readFileSync, writeFileSync } from 'node:fs'
import { type Confidential, leaks } from '../../support/leaks.ts'
import { CONFIG, keyringFile, ORIGIN, SECRET, startService } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { BROWSER, post, postPatiently, solved, token } from '../../support/visitor.ts'

const VISITOR4 = '203.0.113.177'
const VISITOR6 = '2001:db8:77:88:99aa:bbcc:ddee:ff01'
const PASSWORD = 'Redis-password-of-this-test-0123456789'

test('a run with every kind of failure logs nothing confidential', async () => {
  const redis = await startRedis({ args: ['--requirepass', PASSWORD] })
  const keyring = keyringFile()
  const service = await startService({
    keyring,
    config: { ...CONFIG, trusted_proxies: ['127.0.0.1/32'] },
    env: { HV_REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:${redis.port}/0`, HV_LOG_LEVEL: 'info' },
  })
  const tokens: string[] = []
  const wrongSecret = `hv_secret_${'WrongOne0987'.repeat(4)}`
  const siteverify = (fields: Record<string, string>) =>
    postPatiently(`${service.url}/api/v1/siteverify`, fields)

  for (const address of [VISITOR4, VISITOR6]) {
    const headers = { ...BROWSER, origin: ORIGIN, 'x-forwarded-for': address }
    const ask = { ...service.ask, headers, patient: true }
    const body = await solved(ask)
    const { body: minted } = await postPatiently(`${service.url}/api/v1/solve`, body, headers)
    const response = String(minted['token'])
    tokens.push(body.challenge, response)
    await post(`${service.url}/api/v1/solve`, { ...body, signals: '{}' }, headers)
    await post(`${service.url}/api/v1/solve`, { ...body, challenge: `${body.challenge}x` }, headers)
    expect((await siteverify({ secret: SECRET, response, remoteip: address })).body).toMatchObject({
      success: true,
    })
    await siteverify({ secret: SECRET, response })
    for (const change of [
      { action: 'other' },
      { remoteip: '198.51.100.23' },
      { remoteip: '10.20.30.40' },
    ]) {
      const another = await token(ask)
      tokens.push(another)
      await siteverify({ secret: SECRET, response: another, ...change })
    }
    await siteverify({ secret: wrongSecret, response })
    await siteverify({ secret: response, response: SECRET })
    // In the wrong place altogether: a target, a header, a field's name, JSON that breaks off, a URL.
    await fetch(`${service.url}/api/v1/siteverify?secret=${SECRET}&response=${response}`, {
      method: 'POST',
    })
    await fetch(`${service.url}/${SECRET}/${response}`)
    await fetch(`${service.url}/health`, {
      headers: { authorization: `Bearer ${SECRET}`, cookie: `t=${response}` },
    })
    await siteverify({ [SECRET]: response, secret: 'x' })
    await fetch(`${service.url}/api/v1/siteverify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"secret":"${SECRET}","response":"${response}",`,
    })
  }
  const unspent = await token({ ...service.ask, patient: true })
  tokens.push(unspent)
  await redis.stop()
  for (let i = 0; i < 5; i++)
    await post(`${service.url}/api/v1/siteverify`, {
      secret: SECRET,
      response: unspent,
      remoteip: VISITOR4,
    })
  await redis.start()
  writeFileSync(
    service.configFile,
    `redis: {url: "redis://:${PASSWORD}@x:1/0"}\nsites: [{secret: ${SECRET}}]\n`,
  )
  service.signal('SIGHUP')
  await service.line('sites not reloaded; the old ones stay in force')
  writeFileSync(keyring, readFileSync(keyring, 'utf8').slice(0, -4))
  service.signal('SIGHUP')
  await service.line('keyring not reloaded; the old one stays in force')
  await service.stop()

  const written = service.said()
  expect(service.lines().length).toBeGreaterThan(30)
  const used: Confidential = {
    secrets: [SECRET, wrongSecret, PASSWORD],
    tokens,
    keys: [/"k":"([\w-]+)"/.exec(readFileSync(keyring, 'utf8'))![1]!],
    addresses: [VISITOR4, VISITOR6, '198.51.100.23', '10.20.30.40'],
  }
  expect(leaks(written, used)).toEqual([])
  // The control: each would have been found.
  for (const [what, [one]] of Object.entries(used))
    expect([what, leaks(`x ${one} y`, used).length > 0]).toEqual([what, true])
})
