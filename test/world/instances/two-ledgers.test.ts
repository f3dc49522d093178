/** Two processes with embedded ledgers and one keyring behind one balancer refuse each other's visitors. The doctor says so. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Haproxy, startHaproxy } from '../../support/haproxy.ts'
import { hv } from '../../support/hv.ts'
import { CONFIG, keyringFile, type ServiceProcess, startService } from '../../support/process.ts'

const keyring = keyringFile()
let one: ServiceProcess
let two: ServiceProcess
let balancer: Haproxy

beforeAll(async () => {
  ;[one, two] = await Promise.all([startService({ keyring }), startService({ keyring })])
  balancer = await startHaproxy([one.url, two.url])
})
afterAll(async () => {
  await balancer.stop()
  await Promise.all([one.stop(), two.stop()])
})

test('the doctor finds it from outside, and finds nothing at one process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hv-doctor-'))
  const config = join(folder, 'config.yaml')
  writeFileSync(config, JSON.stringify(CONFIG))
  const examine = async (url: string) => {
    const { out } = await hv(['doctor', '--url', url, '--config', config, '--json'])
    const findings = JSON.parse(out) as { check: string; outcome: string; advice: string }[]
    return findings.find(({ check }) => check === 'one ledger')
  }
  try {
    expect(await examine(balancer.url)).toMatchObject({ outcome: 'fix', advice: expect.stringContaining('one redis') })
    expect(await examine(one.url)).toMatchObject({ outcome: 'good' })
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 60_000)
