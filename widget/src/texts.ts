import type { SvcCaptchaTexts as Texts } from '../captcha.d.ts'
import { after } from './clock.ts'

/** Every text of the widget. English is built in; widget/src/texts/*.json have the other languages and are fetched. */
export const ENGLISH: Texts = {
  /** The name of the group, for screen readers. */
  name: 'Human verification',
  label: 'I am human',
  idle: 'Runs by itself, no puzzle',
  manual: 'Select to start',
  working: 'Checking…',
  holding: 'One moment, then your form is sent…',
  waiting: 'Busy, trying again…',
  ready: 'Ready',
  verified: 'Verified',
  /** The form opens a window, and the browser has forgotten the press. */
  again: 'Ready. Please send once more.',
  expired: 'Expired. Select to renew.',
  failed: 'Verification is not available right now.',
  unsent: 'Verification is not available right now. Your form was not sent.',
  /** After `refused()`. */
  refused: 'This was not accepted. Try again.',
  offline: 'You are offline, waiting…',
  misplaced: 'Verification is not set up correctly on this page.',
  retry: 'Try again',
  /** Replaces `misplaced` if the script is older than the service. */
  reload: 'Please reload the page.',
  /** The line and the button of the step of a second try. */
  confirm: 'Please confirm',
}

export type { Texts }

/** The languages besides English. */
export const LANGUAGES: readonly string[] =
  'ar bg cs da de el es fa fi fr he hi hu id it ja ko nb nl pl pt-br pt ro ru sk sv th tr uk vi zh-hant zh'.split(
    ' ',
  )

const RIGHT_TO_LEFT = /^(ar|fa|he)\b/i
export const directionOf = (language: string): 'rtl' | 'ltr' =>
  RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr'

/** Other tags of our languages; scripts and regions that use traditional Chinese. */
const SAME_AS: readonly (readonly [tag: RegExp, is: string])[] = [
  [/^n[on]\b/, 'nb'],
  [/^iw\b/, 'he'],
  [/^in\b/, 'id'],
  [/^zh-(hant|tw|hk|mo)\b/, 'zh-hant'],
]

/** Returns the first of the preferred languages (BCP 47 tags) that is in `LANGUAGES`, by its tag or its primary language, or `en`. */
export function pickLanguage(preferred: readonly string[]): string {
  for (const language of preferred) {
    const spelling = language.toLowerCase().replace(/_/g, '-')
    const tag = SAME_AS.find(([pattern]) => pattern.test(spelling))?.[1] ?? spelling
    const main = tag.split('-')[0]!
    if (main === 'en') return main
    const known = [tag, main].find((one) => LANGUAGES.includes(one))
    if (known) return known
  }
  return 'en'
}

/** Returns the preferred languages: the setting, else the nearest `lang`, else the browser's languages. */
export function preferredLanguages(setting: string, container: Element): readonly string[] {
  if (setting !== 'auto') return [setting]
  const nearest = container.closest('[lang]')?.getAttribute('lang')
  return nearest ? [nearest] : navigator.languages
}

/** The box is shown in English if its texts take longer. */
const WAIT_MS = 400

/** Loads a language, or falls back to English. */
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
