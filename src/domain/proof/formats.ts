import type { Dice } from './dice.ts'
import { textSum } from './agreed.ts'
import type { IntlJob, ProofTask } from './task.ts'

interface Written {
  readonly text: string
  readonly job: IntlJob
}

/**
 * Numbers, dates, plural forms and orders as `Intl` has them, with the locale and every option given.
 *
 * Why an engine: `Intl` of a script engine with full data; Node has it too, so this costs plain clients only.
 * Who could be hurt: nobody. Chosen for what CLDR has not changed in ten years (no narrow spaces, no month names, no
 * AM and PM, no en-CA); written here without `Intl`, so the server's own ICU does not matter. No zone, calendar or
 * language of the visitor's is read.
 */
export function formatTask(dice: Dice): ProofTask {
  const written = [number(dice), date(dice), dice.below(2) ? plural(dice) : order(dice)]
  return {
    expected: written.map(({ text }) => textSum(text)),
    put: () => ['intl', written.map(({ job }) => job)],
  }
}

const LOCALES = {
  'en-US': { group: ',', point: '.', lakh: false },
  'de-DE': { group: '.', point: ',', lakh: false },
  'id-ID': { group: '.', point: ',', lakh: false },
  'ja-JP': { group: ',', point: '.', lakh: false },
  'tr-TR': { group: '.', point: ',', lakh: false },
  'en-IN': { group: ',', point: '.', lakh: true },
  'hi-IN': { group: ',', point: '.', lakh: true },
} as const
/** The digit 0 of a numbering system: the other nine follow it. */
const DIGITS = { latn: 0x30, deva: 0x966, beng: 0x9e6, thai: 0xe50, fullwide: 0xff10, khmr: 0x17e0 } as const

function number(dice: Dice): Written {
  const locale = dice.pick(Object.keys(LOCALES) as (keyof typeof LOCALES)[])
  const system = dice.pick(Object.keys(DIGITS) as (keyof typeof DIGITS)[])
  const places = dice.from(0, 3)
  // Quarters are exact in binary, and a half is rounded away from zero everywhere.
  const quarters = 4 * dice.from(1000, 99_000_000) + dice.below(4)
  const { group, point, lakh } = LOCALES[locale]

  const scaled = Math.floor((quarters * 10 ** places) / 4 + 0.5)
  const whole = String(Math.floor(scaled / 10 ** places))
  const rest = whole.slice(0, -3).replace(lakh ? /\B(?=(\d\d)+$)/g : /\B(?=(\d{3})+$)/g, group)
  const grouped = whole.length > 3 ? rest + group + whole.slice(-3) : whole
  const fraction = places === 0 ? '' : point + String(scaled % 10 ** places).padStart(places, '0')
  return {
    text: (grouped + fraction).replace(/\d/g, (digit) => String.fromCharCode(DIGITS[system] + Number(digit))),
    job: ['number', `${locale}-u-nu-${system}`, places, quarters / 4],
  }
}

const DATES = {
  'en-US': (y: string, m: string, d: string) => `${m}/${d}/${y}`,
  'en-GB': (y: string, m: string, d: string) => `${d}/${m}/${y}`,
  'de-DE': (y: string, m: string, d: string) => `${d}.${m}.${y}`,
  'sv-SE': (y: string, m: string, d: string) => `${y}-${m}-${d}`,
  'ja-JP': (y: string, m: string, d: string) => `${y}/${m}/${d}`,
  'nl-NL': (y: string, m: string, d: string) => `${d}-${m}-${y}`,
} as const
/** Zones without a change of clocks since 1970: minutes east. */
const ZONES = { UTC: 0, 'Asia/Tokyo': 540, 'Asia/Kolkata': 330, 'America/Phoenix': -420, 'Africa/Lagos': 60 } as const
const DAY_MS = 86_400_000

function date(dice: Dice): Written {
  const locale = dice.pick(Object.keys(DATES) as (keyof typeof DATES)[])
  const zone = dice.pick(Object.keys(ZONES) as (keyof typeof ZONES)[])
  // 1980 to 2035.
  const ms = dice.from(3653, 24_000) * DAY_MS + dice.below(1440) * 60_000
  const there = new Date(ms + ZONES[zone] * 60_000)
  return {
    text: DATES[locale](String(there.getUTCFullYear()), two(there.getUTCMonth() + 1), two(there.getUTCDate())),
    job: ['date', locale, zone, ms],
  }
}

const two = (value: number): string => String(value).padStart(2, '0')

type Category = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other'

/** CLDR, plural rules of whole numbers. */
const PLURALS: Record<string, (n: number) => Category> = {
  'en ordinal': (n) => {
    const teen = n % 100 >= 11 && n % 100 <= 13
    return teen ? 'other' : (({ 1: 'one', 2: 'two', 3: 'few' } as Record<number, Category>)[n % 10] ?? 'other')
  },
  'ru cardinal': (n) => slavic(n, n % 10 === 1 && n % 100 !== 11),
  'pl cardinal': (n) => slavic(n, n === 1),
  'ar cardinal': (n) => {
    if (n <= 2) return (['zero', 'one', 'two'] as const)[n]!
    if (n % 100 >= 3 && n % 100 <= 10) return 'few'
    return n % 100 >= 11 ? 'many' : 'other'
  },
}

function slavic(n: number, isOne: boolean): Category {
  if (isOne) return 'one'
  return n % 10 >= 2 && n % 10 <= 4 && !(n % 100 >= 12 && n % 100 <= 14) ? 'few' : 'many'
}

function plural(dice: Dice): Written {
  const rule = dice.pick(Object.keys(PLURALS))
  const [locale, type] = rule.split(' ') as [string, string]
  const count = dice.from(0, 250)
  return { text: PLURALS[rule]!(count), job: ['plural', locale, type, count] }
}

/** Words in their language's order; the same letters stand elsewhere in another. */
const ORDERS = {
  sv: ['a', 'o', 'z', 'å', 'ä', 'ö'],
  da: ['a', 'o', 'z', 'æ', 'ø', 'å'],
  de: ['a', 'ä', 'o', 'ö', 'z'],
  cs: ['c', 'd', 'h', 'ch', 'i'],
  lt: ['i', 'y', 'k', 'l'],
  et: ['r', 's', 'z', 't', 'u'],
  es: ['m', 'n', 'ñ', 'o'],
} as const

function order(dice: Dice): Written {
  const locale = dice.pick(Object.keys(ORDERS) as (keyof typeof ORDERS)[])
  // No a: in Danish aa is å.
  const end = dice.pick(['', 'e', 'n'])
  const words = ORDERS[locale].map((word) => word + end)
  const mixed = dice.shuffled(words)
  return { text: words.join(), job: ['sort', locale, mixed] }
}
