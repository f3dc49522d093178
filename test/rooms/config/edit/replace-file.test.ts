import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { EditError, createFiles, replaceFile } from '../../../../src/config/edit/replace-file.ts'

const fail = (): string => {
  throw new Error('no')
}

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hv-replace-'))
  file = join(folder, 'config.yaml')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the text is new, the mode is the old one, and nothing else is left', () => {
  writeFileSync(file, 'old')
  chmodSync(file, 0o640)
  replaceFile(file, 0o644, () => `${readFileSync(file, 'utf8')} and new`)
  expect(readFileSync(file, 'utf8')).toBe('old and new')
  expect(statSync(file).mode & 0o777).toBe(0o640)
  expect(readdirSync(folder)).toEqual(['config.yaml'])
})

test('a new file has the mode asked for', () => {
  replaceFile(file, 0o600, () => 'keys')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a symbolic link stays one', () => {
  const real = join(folder, 'real.yaml')
  writeFileSync(real, 'old')
  symlinkSync(real, file)
  replaceFile(file, 0o644, () => 'new')
  expect(lstatSync(file).isSymbolicLink()).toBe(true)
  expect(readFileSync(real, 'utf8')).toBe('new')
})

test('a change that fails leaves the file as it was, and the next one can run', () => {
  writeFileSync(file, 'old')
  expect(() => replaceFile(file, 0o644, fail)).toThrow('no')
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['config.yaml'])
})

test('of two edits at once the second is refused, so that neither is lost', () => {
  writeFileSync(file, 'old')
  replaceFile(file, 0o644, () => {
    expect(() => replaceFile(file, 0o644, () => 'second')).toThrow(EditError)
    return 'first'
  })
  expect(readFileSync(file, 'utf8')).toBe('first')
})

test('an editor that knows nothing of the lock is noticed, and its change stays', () => {
  writeFileSync(file, 'old')
  const edit = (): void =>
    replaceFile(file, 0o644, () => {
      writeFileSync(file, 'theirs')
      return 'ours'
    })
  expect(edit).toThrow('somebody else changed it meanwhile; nothing was written, try again')
  expect(readFileSync(file, 'utf8')).toBe('theirs')
  expect(readdirSync(folder)).toEqual(['config.yaml'])
})

test('of several new files all are written, or none', () => {
  const [a, b] = [join(folder, 'a.yaml'), join(folder, 'b.yaml')]
  createFiles([{ path: a, text: 'a' }], 0o640)
  expect(statSync(a).mode & 0o777).toBe(0o640)
  expect(() =>
    createFiles(
      [
        { path: b, text: 'b' },
        { path: a, text: 'other' },
      ],
      0o644,
    ),
  ).toThrow('is there already; nothing was written')
  expect(readFileSync(a, 'utf8')).toBe('a')
  expect(readdirSync(folder)).toEqual(['a.yaml'])
})

test('a folder that does not exist is said in a sentence', () => {
  const nowhere = join(folder, 'nowhere', 'config.yaml')
  expect(() => replaceFile(nowhere, 0o644, () => '')).toThrow(`${nowhere}: cannot be written`)
  expect(existsSync(nowhere)).toBe(false)
})
