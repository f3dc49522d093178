/** docs/pictures/rooms.svg has every room of the map, and no room imports one of a floor above its own. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { FLOORS } from '../../../docs/make/diagrams.ts'
import { ROOT } from '../../world/deploy/root.ts'

const src = join(ROOT, 'src')
const floorOf = new Map(FLOORS.flatMap(({ rooms }, floor) => Object.keys(rooms).map((room) => [room, floor] as const)))
const roomOf = (file: string): string => file.split('/')[0]!.replace(/\.ts$/, '')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

test('the diagram has the rooms of docs/contribute/rooms.md', () => {
  const page = readFileSync(join(ROOT, 'docs/contribute/rooms.md'), 'utf8')
  const [, service = ''] = /^## Service\n([^]*?)^## /m.exec(page) ?? []
  const named = [...service.matchAll(/^\| `([\w-]+)[\w/-]*` \|/gm)].map(([, room]) => room!)
  expect([...floorOf.keys()].sort()).toEqual([...new Set(named)].sort())
})

test('no import goes up a floor', () => {
  const up = files.flatMap((file) => {
    const from = floorOf.get(roomOf(file))
    if (from === undefined) return []
    const imported = [...readFileSync(join(src, file), 'utf8').matchAll(/from '(\.[^']+)'/g)]
    return imported
      .map(([, path]) => roomOf(relative(src, join(src, dirname(file), path!))))
      .filter((room) => room !== roomOf(file) && (floorOf.get(room) ?? 0) < from)
      .map((room) => `${file} imports ${room}`)
  })
  expect(up).toEqual([])
})
