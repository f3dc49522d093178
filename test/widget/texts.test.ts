import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { directionOf, ENGLISH, LANGUAGES, pickLanguage, textsIn } from '../../widget/src/texts.ts'

const folder = new URL('../../widget/src/texts/', import.meta.url)
const read = (language: string): unknown => JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8'))

test('every language in the list has a file, and every file is in the list', () => {
  expect(readdirSync(folder).sort()).toEqual(LANGUAGES.map((language) => `${language}.json`))
})

describe.each([...LANGUAGES])('%s', (language) => {
  const texts = read(language) as Record<string, string>
  test('has every text and no other', () => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(ENGLISH).sort())
  })
  test('has no empty text and none left in English', () => {
    for (const [name, text] of Object.entries(texts)) {
      expect(text.trim()).toBe(text)
      expect(text).not.toBe('')
      expect(text).not.toBe(ENGLISH[name as keyof typeof ENGLISH])
    }
  })
})

test.each([
  { wishes: ['de-AT'], is: 'de' },
  { wishes: ['DE_de'], is: 'de' },
  { wishes: ['xx', 'fr-CA', 'de'], is: 'fr' },
  { wishes: ['en-GB', 'de'], is: 'en' },
  { wishes: [], is: 'en' },
  { wishes: ['deu'], is: 'en' },
])('wishing for $wishes gives $is', ({ wishes, is }) => {
  expect(pickLanguage(wishes)).toBe(is)
})

test.each([
  { language: 'ar', is: 'rtl' },
  { language: 'ar-EG', is: 'rtl' },
  { language: 'he', is: 'rtl' },
  { language: 'en', is: 'ltr' },
  { language: 'arn', is: 'ltr' },
])('$language is written $is', ({ language, is }) => {
  expect(directionOf(language)).toBe(is)
})

test('a language that cannot be loaded is English', async () => {
  expect(await textsIn('de', () => Promise.reject(new Error('offline')))).toEqual(ENGLISH)
})

test('a language is loaded from its own file', async () => {
  const files: string[] = []
  const texts = await textsIn('de', async (file) => (files.push(file), read('de')))
  expect(files).toEqual(['captcha-text-de.json'])
  expect(texts.label).toBe('Ich bin ein Mensch')
})
