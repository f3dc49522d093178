import type { SvcCaptchaTexts as Texts } from '../captcha.d.ts'
import { after } from './clock.ts'

/** Every word the widget shows. English is built in; widget/src/texts/*.json hold the rest, each a file that is fetched. */
export const ENGLISH: Texts = {
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
  /** The customer's server refused the form: `refused()`. */
  refused: 'This was not accepted. Try again.',
  offline: 'You are offline, waiting…',
  misplaced: 'Verification is not set up correctly on this page.',
  retry: 'Try again',
  /** Instead of `misplaced`, where the script is older than the service. */
  reload: 'Please reload the page.',
  /** The line and the button of a second try. */
  confirm: 'Please confirm',
}

export type { Texts }

/** The languages there is a file for, besides English. */
export const LANGUAGES: readonly string[] =
  'ar bg cs da de el es fa fi fr he hi hu id it ja ko nb nl pl pt-br pt ro ru sk sv th tr uk vi zh-hant zh'.split(' ')

const RIGHT_TO_LEFT = /^(ar|fa|he)\b/i
export const directionOf = (language: string): 'rtl' | 'ltr' => (RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr')

/** Tags that mean a language of ours by another name; scripts and regions that write Chinese in the traditional way. */
const SAME_AS: readonly (readonly [tag: RegExp, is: string])[] = [
  [/^n[on]\b/, 'nb'],
  [/^iw\b/, 'he'],
  [/^in\b/, 'id'],
  [/^zh-(hant|tw|hk|mo)\b/, 'zh-hant'],
]

/**
 * The language to show: the first wish we can fulfil, by its tag or its main language.
 *
 * @param wishes BCP 47 tags, the most wanted first.
 * @returns one of `LANGUAGES`, or `en`.
 */
export function pickLanguage(wishes: readonly string[]): string {
  for (const wish of wishes) {
    const spelling = wish.toLowerCase().replace(/_/g, '-')
    const tag = SAME_AS.find(([pattern]) => pattern.test(spelling))?.[1] ?? spelling
    const main = tag.split('-')[0]!
    if (main === 'en') return main
    const language = [tag, main].find((one) => LANGUAGES.includes(one))
    if (language) return language
  }
  return 'en'
}

/** Returns the languages that the page wants: the setting, else the nearest `lang`, else the browser's languages. */
export function wishesOf(setting: string, container: Element): readonly string[] {
  if (setting !== 'auto') return [setting]
  const nearest = container.closest('[lang]')?.getAttribute('lang')
  return nearest ? [nearest] : navigator.languages
}

/** How long the box waits for its texts; then it is shown in English until they arrive. Milliseconds. */
const WAIT_MS = 400

/** Loads a language; English if its texts cannot be loaded: a widget in the wrong language is better than none. */
export function speakIn(
  language: string,
  load: () => Promise<Partial<Texts>>,
  speak: (texts: Texts, language: string) => void,
): void {
  const english = (): void => speak(ENGLISH, 'en')
  if (language === 'en') return english()
  const cancel = after(WAIT_MS, english)
  load()
    .finally(cancel)
    .then((texts) => speak({ ...ENGLISH, ...texts }, language))
    .catch(english)
}
