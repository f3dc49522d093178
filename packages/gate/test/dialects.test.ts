/** A row of a dialect is not all that a proxy needs: CONTRIBUTING.md has the recipe, and this names what is missing. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { closeLater } from '../../../test/support/close-later.ts'
import { checkAt, type Dialect, DIALECTS } from '../src/dialects.ts'
import { doctor } from '../src/doctor.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const rows = Object.entries<Dialect>(DIALECTS)

/** What the doctor sends, whatever answers. */
const sent: IncomingHttpHeaders[] = []
beforeAll(async () => {
  const server = createServer((req, res) => {
    sent.push(req.headers)
    res.writeHead(403).end()
  })
  closeLater(server, (it) => it.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await doctor(`http://127.0.0.1:${port}/`)
})

describe.each(rows)('%s', (name, dialect) => {
  test('has samples that ask by it, and the guide names them', () => {
    expect(dialect.samples).not.toEqual([])
    for (const sample of dialect.samples) {
      expect(existsSync(new URL(`deploy/gate/${sample}`, root))).toBe(true)
      expect(read(`deploy/gate/${sample}`)).toContain(`/check/${name}`)
      expect(read('docs/start/gate.md')).toContain(`../../deploy/gate/${sample}`)
    }
  })

  test('is found at its address, and at no other', () => {
    const address = `/check/${name}`
    const [right, wrong] = dialect.headers ? ['', '/a?x=1'] : ['/a?x=1', '']
    expect(checkAt(address + right)).toEqual({ dialect, target: right })
    expect(checkAt(address + wrong)).toBeUndefined()
    expect(checkAt(`${address}x`)).toBeUndefined()
  })

  test('is forged by the doctor, in each header that tells a request', () => {
    const headers = new Set(sent.flatMap((each) => Object.keys(each)))
    const telling = Object.values(dialect.headers ?? {})
    expect(telling.filter((header) => !headers.has(header))).toEqual([])
  })
})

test('every proxy of deploy/gate asks by a dialect', () => {
  const named = rows.flatMap(([, { samples }]) => samples)
  const asking = readdirSync(new URL('deploy/gate', root)).filter((file) =>
    read(`deploy/gate/${file}`).includes('/check/'),
  )
  expect(asking.toSorted()).toEqual(named.toSorted())
})
