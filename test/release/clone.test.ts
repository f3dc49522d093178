/** README.md from a clone: its first command, in a new clone of this commit. */
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { newFolder } from '../support/close-later.ts'
import { ROOT } from '../support/root.ts'
import { door, expectDemo, output } from './stranger.ts'

test('the first command of README.md leads to the demonstration', async () => {
  const folder = join(newFolder(), 'clone')
  output('git', ['clone', '--quiet', ROOT, folder])
  const [install = '', start = '', ...more] = door('npm start').split(' && ')
  expect(more).toEqual([])
  // Only this needs a network.
  output('sh', ['-c', install], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  })
  await expectDemo(['sh', '-c', start], folder)
}, 600_000)
