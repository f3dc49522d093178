import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, jest, test } from '@jest/globals'
import type { Texts } from '../../../widget/src/texts.ts'

const timer = { task: () => {}, cancelled: false }
jest.spyOn(globalThis, 'setTimeout').mockImplementation(((task: () => void) => (timer.task = task)) as never)
jest.spyOn(globalThis, 'clearTimeout').mockImplementation(() => void (timer.cancelled = true))
// It keeps the browser's functions when it loads.
const { directionOf, ENGLISH, LANGUAGES, pickLanguage, speakIn } = await import('../../../widget/src/texts.ts')

const folder = new URL('../../../widget/src/texts/', import.meta.url)
const read = (language: string): Partial<Texts> =>
  JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8')) as Partial<Texts>

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
  { wishes: ['pt'], is: 'pt' },
  { wishes: ['pt-BR'], is: 'pt-br' },
  { wishes: ['pt-AO'], is: 'pt' },
  { wishes: ['no'], is: 'nb' },
  { wishes: ['nn-NO'], is: 'nb' },
  { wishes: ['iw'], is: 'he' },
  { wishes: ['zh'], is: 'zh' },
  { wishes: ['zh-Hans-HK'], is: 'zh' },
  { wishes: ['zh_TW'], is: 'zh-hant' },
  { wishes: ['zh-Hant-MO'], is: 'zh-hant' },
])('wishing for $wishes gives $is', ({ wishes, is }) => {
  expect(pickLanguage(wishes)).toBe(is)
})

test.each([
  { language: 'ar', is: 'rtl' },
  { language: 'ar-EG', is: 'rtl' },
  { language: 'he', is: 'rtl' },
  { language: 'fa', is: 'rtl' },
  { language: 'en', is: 'ltr' },
  { language: 'arn', is: 'ltr' },
])('$language is written $is', ({ language, is }) => {
  expect(directionOf(language)).toBe(is)
})

/** What the box was told, in order. */
function speaking(load: () => Promise<Partial<Texts>>, language = 'ar') {
  const spoken: { label: string; language: string }[] = []
  timer.cancelled = false
  speakIn(language, load, ({ label }, spokenIn) => spoken.push({ label, language: spokenIn }))
  return { spoken, settled: () => new Promise(setImmediate) }
}

describe('a language', () => {
  const english = { label: ENGLISH.label, language: 'en' }

  test('that cannot be loaded is English, written from left to right', async () => {
    const { spoken, settled } = speaking(() => Promise.reject(new Error('offline')))
    await settled()
    expect(spoken).toEqual([english])
  })

  test('that hangs is English meanwhile, and is spoken when it comes', async () => {
    let come: ((texts: Partial<Texts>) => void) | undefined
    const { spoken, settled } = speaking(() => new Promise((resolve) => (come = resolve)))
    timer.task()
    expect(spoken).toEqual([english])
    come!(read('ar'))
    await settled()
    expect(spoken).toEqual([english, { label: 'أنا إنسان', language: 'ar' }])
  })
})
