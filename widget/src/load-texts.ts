import { request } from './clock.ts'
import type { Options } from './options.ts'
import { pickLanguage, preferredLanguages, speakIn, type Texts } from './texts.ts'

interface TextsFrom {
  /** The address of the service. */
  readonly base: string
  /** The query of our script's address. */
  readonly version: string
  readonly signal: AbortSignal
}

/** Loads the texts of the visitor's language, with those that the page has written itself. */
export function loadTexts(
  container: HTMLElement,
  options: Options,
  { base, version, signal }: TextsFrom,
  speak: (texts: Texts, language: string) => void,
): void {
  const language = pickLanguage(preferredLanguages(options.language, container))
  const address = `${base}assets/captcha-text-${language}.json${version}`
  const init = { credentials: 'omit', referrerPolicy: 'origin', signal } as const
  speakIn(
    language,
    async () => (await request(address, init)).json(),
    (texts, spokenIn) => speak({ ...texts, ...options.texts }, spokenIn),
  )
}
