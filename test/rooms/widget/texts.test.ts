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

test('there are at least 24 languages', () => {
  expect(LANGUAGES.length + 1).toBeGreaterThanOrEqual(24)
})

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

/** Letters of another alphabet than the Latin one, where a language has one. */
const ALPHABETS: Readonly<Record<string, RegExp>> = {
  ar: /\p{Script=Arabic}/u,
  bg: /\p{Script=Cyrillic}/u,
  el: /\p{Script=Greek}/u,
  fa: /\p{Script=Arabic}/u,
  he: /\p{Script=Hebrew}/u,
  hi: /\p{Script=Devanagari}/u,
  ja: /\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Han}/u,
  ko: /\p{Script=Hangul}/u,
  ru: /\p{Script=Cyrillic}/u,
  th: /\p{Script=Thai}/u,
  uk: /\p{Script=Cyrillic}/u,
  zh: /\p{Script=Han}/u,
  'zh-hant': /\p{Script=Han}/u,
}

describe.each([...LANGUAGES])('as far as a machine can read %s', (language) => {
  const texts = Object.entries(read(language) as Record<string, string>)
  test('it is written in its alphabet, whose direction is the one of the box', () => {
    const alphabet = ALPHABETS[language] ?? /\p{Script=Latin}/u
    for (const [name, text] of texts) expect({ name, text, is: alphabet.test(text) }).toMatchObject({ is: true })
    const isRightToLeft = texts.every(([, text]) => /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text))
    expect(directionOf(language)).toBe(isRightToLeft ? 'rtl' : 'ltr')
  })
  // No number is in a text, so that no language needs a plural; what is going on ends in an ellipsis, as in English.
  test('it has no place for a number or markup, no spare space, its ellipses, and room in the box', () => {
    for (const [name, text] of texts) {
      expect(text).not.toMatch(/[{}<>%$&\\\d]| {2}|\.\.\./)
      const english = ENGLISH[name as keyof typeof ENGLISH]
      expect({ name, text, ellipsis: /…/.test(text) }).toEqual({ name, text, ellipsis: /…/.test(english) })
      expect(text.length).toBeLessThanOrEqual(Math.max(48, english.length * 2))
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

  test('is loaded once, and English does not come in between', async () => {
    let loads = 0
    const { spoken, settled } = speaking(async () => (loads++, read('de')), 'de')
    await settled()
    expect(loads).toBe(1)
    expect(spoken).toEqual([{ label: 'Ich bin ein Mensch', language: 'de' }])
    expect(timer.cancelled).toBe(true)
  })

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

  test('that is English needs no file and no wait', () => {
    const { spoken } = speaking(() => Promise.reject(new Error('not asked')), 'en')
    expect(spoken).toEqual([english])
  })
})
