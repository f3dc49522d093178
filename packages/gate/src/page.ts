/** The page that a visitor without a clearance gets, and its files. */
import { type Answer, reply } from './answers.ts'
import { readOwnFile } from './own-files.ts'

const read = (name: string): string => readOwnFile('page', name)

const PAGE = read('page.html')

/** The files that the page loads, by their names below `/.hv/`. */
export const PAGE_FILES: ReadonlyMap<string, Answer> = new Map([
  ['gate.js', reply(200, 'text/javascript', read('gate.js'))],
  ['gate.css', reply(200, 'text/css', read('gate.css'))],
])

type Sentences = Readonly<Record<string, string>>

/** The sentences of each language, with its tags, `pt-br` or `nb|no`: English first, and a dialect before its language. */
const LANGUAGES = Object.entries(
  JSON.parse(read('texts/sentences.json')) as Record<string, Sentences>,
).map(([tags, sentences]) => ({ tags: tags.toLowerCase().split('|'), sentences }))

/** Returns the sentences of a tag such as `de-at`: those of the tag, or of the language that it begins with. */
const sentencesIn = (tag: string): Sentences | undefined =>
  LANGUAGES.find(({ tags }) => tags.some((each) => tag === each || tag.startsWith(`${each}-`)))
    ?.sentences

/** @param accepted `Accept-Language`: browsers name their languages in the order of preference. */
function sentencesFor(accepted: string): Sentences {
  const tags = accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.replace(/;.*/s, '').trim())
  for (const tag of tags) {
    const sentences = sentencesIn(tag)
    if (sentences) return sentences
  }
  return LANGUAGES[0]!.sentences
}

/** Allows nothing inline, and nothing from elsewhere but the widget. `worker-src blob:` is where it computes fastest. */
const policyOf = (service: string): string =>
  `default-src 'none'; script-src 'self' ${service}; style-src 'self'; connect-src 'self' ${service}; worker-src blob:; ` +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'self'"

/** What the page is filled in with. */
export interface PageValues {
  /** Name of the sentence for a visitor whom reloading does not help. */
  readonly why: string
  readonly host: string
  readonly level: string
  /** Empty where no form was sent. */
  readonly isForm: string
  readonly contact: string
  readonly sitekey: string
  readonly action: string
  readonly service: string
}

/** @param accepted the visitor's `Accept-Language`. */
export function pageAnswer(status: number, values: PageValues, accepted = ''): Answer {
  const all: Readonly<Record<string, string>> = { ...values, ...sentencesFor(accepted) }
  const escaped = (_: string, name: string): string =>
    all[name]!.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
  const body = PAGE.replaceAll(/\{(\w+)\}/g, escaped)
  return reply(status, 'text/html', body, { 'content-security-policy': policyOf(values.service) })
}
