import { rmSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { openMmdb } from '../../../src/agents/mmdb.ts'
import { localNetworks } from '../../../src/agents/networks.ts'
import { readRangeList } from '../../../src/agents/range-list.ts'
import { mmdb } from '../../support/mmdb.ts'
import { watchedFolder } from './watched-folder.ts'

const { log, looks, path, watch, write } = watchedFolder()
const start = async (files: Parameters<typeof localNetworks>[0]) => {
  const networks = await localNetworks(files, log)
  await watch(networks.files)
  return networks
}

const countries = () =>
  mmdb({
    '192.0.2.0/24': { country: { iso_code: 'DE' } },
    '2001:db8::/32': { country: { iso_code: 'FR' } },
    '198.51.100.0/24': { country: 'us', asn: 'AS64500' },
  })
const systems = (ipVersion: 4 | 6 = 6) =>
  mmdb(
    {
      '192.0.2.0/25': {
        autonomous_system_number: 64_496,
        autonomous_system_organization: 'Example',
      },
    },
    ipVersion,
  )

describe('MMDB files', () => {
  test('give country and autonomous system, under the names that publishers use', async () => {
    const networks = await start({
      mmdb: [write('c.mmdb', countries()), write('a.mmdb', systems())],
      lists: [],
    })
    expect(networks.lookUp('192.0.2.7')).toEqual({ asn: 64_496, country: 'DE', lists: [] })
    expect(networks.lookUp('192.0.2.200')).toEqual({ asn: undefined, country: 'DE', lists: [] })
    expect(networks.lookUp('2001:db8:1::')).toMatchObject({ country: 'FR' })
    expect(networks.lookUp('198.51.100.1')).toEqual({ asn: 64_500, country: 'US', lists: [] })
    expect(networks.lookUp('203.0.113.1')).toEqual({
      asn: undefined,
      country: undefined,
      lists: [],
    })
    expect(networks.lookUp(undefined)).toEqual({ asn: undefined, country: undefined, lists: [] })
    expect(networks.lookUp('not an address')).toEqual({
      asn: undefined,
      country: undefined,
      lists: [],
    })
  })

  test('an IPv4 database is not asked about IPv6 addresses, whose first bits look like IPv4', async () => {
    const lookup = await openMmdb(write('4.mmdb', systems(4)))
    expect(lookup('192.0.2.1').asn).toBe(64_496)
    expect(lookup('c000:201::').asn).toBeUndefined()
  })

  test.each([
    ['cut off', () => countries().subarray(0, 400)],
    ['empty', () => Buffer.alloc(0)],
    ['something else', () => Buffer.from('<html>not found</html>'.repeat(100))],
    ['no more than its end', () => countries().subarray(-200)],
  ])('one that is %s is refused', async (_, content) => {
    await expect(openMmdb(write('bad.mmdb', content()))).rejects.toThrow(/is not a whole MMDB file/)
  })

  test.each([
    { country: { iso_code: 'Germany' } },
    { country: 49 },
    { asn: 'ASx' },
    { asn: 0 },
    { other: 'x' },
  ])('a record that says %j says nothing', async (record) => {
    const lookup = await openMmdb(write('odd.mmdb', mmdb({ '192.0.2.0/24': record as never })))
    expect(lookup('192.0.2.1')).toEqual({ asn: undefined, country: undefined })
  })
})

describe('lists', () => {
  test('hold addresses and ranges, with comments and any line ends', async () => {
    const file = write(
      'tor.txt',
      '# exits\r\n192.0.2.7\r\n\n198.51.100.0/24 ; a range\n2001:db8:5::1 # one\n',
    )
    const networks = await start({ mmdb: [], lists: [{ name: 'tor', kind: 'tor-exit', file }] })
    const tor = [{ name: 'tor', kind: 'tor-exit' }]
    expect(networks.lookUp('192.0.2.7').lists).toEqual(tor)
    expect(networks.lookUp('192.0.2.8').lists).toEqual([])
    expect(networks.lookUp('198.51.100.255').lists).toEqual(tor)
    // A visitor is known by the /64.
    expect(networks.lookUp('2001:db8:5::').lists).toEqual(tor)
  })

  test.each([
    ['nothing but comments', '# none\n\n', 'has no address'],
    ['a line that is no range', '192.0.2.1\n<html>\n', 'line 2 is not an address or a CIDR range'],
    ['everybody', '0.0.0.0/0\n', 'line 1 covers every address'],
    ['rubbish', '\u0000\u0001\u0002', 'line 1 is not an address'],
  ])('with %s are refused as a whole; the error quotes nothing', async (_, content, says) => {
    await expect(readRangeList(write('bad.txt', content))).rejects.toThrow(says)
    await expect(readRangeList(write('bad.txt', content))).rejects.not.toThrow('html')
  })
})

test('a missing file stops the start, and is reported in one sentence', async () => {
  const lists = [{ name: 'x', kind: 'vpn' as const, file: path('none') }]
  const says = /none cannot be read: there is no such file/
  await expect(start({ mmdb: [path('none')], lists: [] })).rejects.toThrow(says)
  await expect(start({ mmdb: [], lists })).rejects.toThrow(says)
})

test('a list that is invalid or gone leaves the old version in force, is logged once, and reloaded later', async () => {
  const tor = { name: 'tor', kind: 'tor-exit', file: write('tor.txt', '192.0.2.7\n') } as const
  const networks = await start({ mmdb: [], lists: [tor] })
  write('tor.txt', 'half a down')
  await looks(4)
  rmSync(tor.file)
  await looks(4)
  expect(networks.lookUp('192.0.2.7').lists).toHaveLength(1)
  const said = ['the old one stays in force', 'there is no such file']
  expect(log.lines).toEqual(said.map((says) => expect.stringContaining(says)))
  write('tor.txt', '198.51.100.1\n# mended\n')
  await looks()
  expect(networks.lookUp('198.51.100.1').lists).toHaveLength(1)
})
