/** Every word the widget shows. English is built in; widget/src/texts/*.json hold the rest. */
export const ENGLISH = {
  /** The name of the whole, for screen readers. */
  name: 'Human verification',
  label: 'I am human',
  idle: 'Runs by itself, no puzzle',
  manual: 'Select to start',
  working: 'Checking…',
  holding: 'One moment, then your form is sent…',
  waiting: 'Busy, trying again…',
  ready: 'Ready',
  verified: 'Verified',
  expired: 'Expired. Select to renew.',
  failed: 'Verification is not available right now.',
  unsent: 'Verification is not available right now. Your form was not sent.',
  misplaced: 'Verification is not set up correctly on this page.',
  retry: 'Try again',
} as const

export type Texts = Readonly<Record<keyof typeof ENGLISH, string>>

/** The languages there is a file for. */
export const LANGUAGES = ['ar', 'de', 'es', 'fr'] as const

const RIGHT_TO_LEFT = /^(ar|dv|fa|he|ks|ku-arab|ps|sd|ug|ur|yi)\b/i
export const directionOf = (language: string): 'rtl' | 'ltr' => (RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr')

/**
 * The language to show: the first wish we can fulfil, by its tag or its main language.
 *
 * @param wishes BCP 47 tags, the most wanted first.
 * @returns one of `LANGUAGES`, or `en`.
 */
export function pickLanguage(wishes: readonly string[]): string {
  for (const wish of wishes) {
    const main = wish.toLowerCase().split(/[-_]/)[0]
    if (main === 'en') return 'en'
    const found = LANGUAGES.find((language) => language === main)
    if (found) return found
  }
  return 'en'
}

/** What the page wants: the setting, else the nearest `lang`, else the browser's languages. */
export function wishesOf(setting: string, container: Element): readonly string[] {
  if (setting !== 'auto') return [setting]
  const nearest = container.closest('[lang]')?.getAttribute('lang')
  return nearest ? [nearest] : navigator.languages
}

/**
 * Loads a language.
 *
 * @param load fetches a file of the service's assets as JSON.
 * @returns English where it cannot be had: a widget in the wrong language is better than none.
 */
export async function textsIn(language: string, load: (file: string) => Promise<unknown>): Promise<Texts> {
  if (language === 'en') return ENGLISH
  try {
    return { ...ENGLISH, ...((await load(`captcha-text-${language}.json`)) as Partial<Texts>) }
  } catch {
    return ENGLISH
  }
}
