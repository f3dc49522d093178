import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { directionOf, ENGLISH, LANGUAGES, pickLanguage } from '../../../widget/src/texts.ts'

const folder = new URL('../../../widget/src/texts/', import.meta.url)

test('every language in the list has a file, and every file is in the list', () => {
  expect(readdirSync(folder).sort()).toEqual(LANGUAGES.map((language) => `${language}.json`))
})

test.each([...LANGUAGES])(
  '%s has every text and no other, none empty and none left in English',
  (language) => {
    const texts = JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8')) as Record<
      string,
      string
    >
    expect(Object.keys(texts).sort()).toEqual(Object.keys(ENGLISH).sort())
    for (const [name, text] of Object.entries(texts)) {
      expect(text.trim()).toBe(text)
      expect(['', ENGLISH[name as keyof typeof ENGLISH]]).not.toContain(text)
    }
  },
)

test.each([
  [['xx', 'fr-CA', 'de'], 'fr'],
  [['en-GB', 'de'], 'en'],
  [[], 'en'],
  [['deu'], 'en'],
  [['DE_de'], 'de'],
  [['pt'], 'pt'],
  [['pt-BR'], 'pt-br'],
  [['pt-AO'], 'pt'],
  [['nn-NO'], 'nb'],
  [['iw'], 'he'],
  [['zh-Hans-HK'], 'zh'],
  [['zh_TW'], 'zh-hant'],
  [['zh-Hant-MO'], 'zh-hant'],
])('wishing for %j gives %s', (wishes, is) => {
  expect(pickLanguage(wishes)).toBe(is)
})

test('Arabic, Hebrew and Persian are written from right to left', () => {
  expect(['ar', 'ar-EG', 'he', 'fa', 'en', 'arn'].map(directionOf)).toEqual([
    'rtl',
    'rtl',
    'rtl',
    'rtl',
    'ltr',
    'ltr',
  ])
})
