/** What people hear of the widget and the gate's page: Orca's log of its speech, in Chromium and in three languages. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { chromium, type Page } from 'playwright-core'
import { ENGLISH, type Texts } from '../../widget/src/texts.ts'
import { startGatedSite } from '../browser/a11y/gated-site.ts'
import { bring, type Shown, SHOWN, type Stage, startStage } from '../browser/a11y/stage.ts'
import { chromiumProgram, FLAGS } from '../support/chromium.ts'
import { closeLater } from '../support/close-later.ts'
import { type ScreenReader, startScreenReader } from '../support/screen-reader.ts'

jest.setTimeout(300_000)

/** Orca itself speaks English here, whatever the page speaks. */
const LANGUAGES = ['en', 'de', 'ar']

let reader: ScreenReader
let stage: Stage
let page: Page
/** An address of a site whose gate lets no browser in. */
let refusing: string

beforeAll(async () => {
  reader = await startScreenReader()
  stage = await startStage()
  refusing = await startGatedSite(1)
  const program = chromiumProgram()
  const browser = await chromium.launch({
    ...program,
    headless: false,
    env: { ...program.env, ...reader.env } as Record<string, string>,
    args: [...FLAGS, '--force-renderer-accessibility'],
  })
  closeLater(browser, (it) => it.close())
  page = await browser.newPage()
  await bring(page, stage, 'failed')
  // A new window has the focus in its address bar, and Orca hears late that it is elsewhere.
  while (!reader.lines.includes('Email entry.')) {
    await page.locator('h1').click()
    await page.locator('[name=email]').focus()
    await sleep(500)
  }
})

const textsOf = (language: string): Texts => {
  if (language === 'en') return ENGLISH
  const own = JSON.parse(readFileSync(`widget/src/texts/${language}.json`, 'utf8')) as Texts
  return { ...ENGLISH, ...own }
}

const sentences = JSON.parse(
  readFileSync('packages/gate/page/texts/sentences.json', 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, string>>>>

type Line = keyof Texts
/** What each state says last, and the name of the button that it has. */
const SAYS: Readonly<Record<Shown, readonly [line: Line, button?: Line]>> = {
  idle: ['idle'],
  working: ['working'],
  holding: ['holding'],
  waiting: ['waiting'],
  asked: ['confirm', 'confirm'],
  asking: ['confirm', 'confirm'],
  confirmed: ['holding'],
  lost: ['offline', 'retry'],
  ready: ['ready'],
  verified: ['verified'],
  expired: ['expired'],
  refused: ['refused', 'retry'],
  offline: ['offline', 'retry'],
  failed: ['failed', 'retry'],
  unsent: ['unsent', 'retry'],
  misplaced: ['misplaced'],
}
/** What may be heard on the way there; a slow reader drops some of it. */
const ON_THE_WAY: readonly Line[] = ['idle', 'manual', 'working', 'holding', 'waiting', 'ready']
const BEFORE: Readonly<Partial<Record<Shown, Line>>> = {
  confirmed: 'confirm',
  lost: 'confirm',
  expired: 'verified',
  refused: 'verified',
}

/** What the page around the widget says, and Orca of itself. */
const OF_PAGE = /^(Send|Email|Shop|Loading|Finished|Focus|Browse|form|main|leaving)\b/

const beginning = (text: string): RegExp => new RegExp(`^${text.replaceAll('.', '\\.')}`)

/** Brings the widget into a state, moves the focus to its check box and one further. @returns what was heard of the widget */
async function hear(
  shown: Shown,
  language: string,
  change: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const from = reader.lines.length
  const wanted = textsOf(language)[SAYS[shown][0]]
  await bring(page, stage, shown, { language })
  await reader.heard(beginning(wanted), from)
  await change()
  await page.locator('.svc-captcha .mark').focus()
  const until = (await reader.heard(/ check box /, from)).length
  await page.keyboard.press('Tab')
  await reader.heard(/ push button/, from + until)
  // An error of the page's set-up has its number behind the line.
  const since = reader.lines.slice(from).map((line) => line.replace(/ \(\d+\)$/, ''))
  // Before the page is loaded, a busy Orca may still speak of the one before.
  const begins = since.findLastIndex((line) => line.startsWith('Loading'))
  const ofWidget = since.filter(
    (line, at) => !OF_PAGE.test(line) && (at > begins || line === wanted),
  )
  // A busy Orca says a new text twice: for the text that came, and for the node that it came in.
  return [...new Set(ofWidget)]
}

describe.each(LANGUAGES)('the widget, %s', (language) => {
  const texts = textsOf(language)

  test.each(SHOWN)('%s', async (shown) => {
    const [line, button] = SAYS[shown]
    const isDone = shown === 'ready' || shown === 'verified'
    const passing = [...ON_THE_WAY, BEFORE[shown] ?? 'idle'].filter((each) => each !== line)
    const isPassing = (each: string): boolean => passing.some((name) => texts[name] === each)
    const said = (await hear(shown, language)).filter((each) => !isPassing(each))
    const expected = [
      texts[line],
      `${texts.name} panel.`,
      `${texts.label} check box ${isDone ? '' : 'not '}checked.`,
      ...(button ? [`${texts[button]} push button${shown === 'asked' ? ' grayed' : ''}.`] : []),
    ]
    // The line may come while the focus moves.
    expect(said.sort()).toEqual(expected.sort())
  })
})

test('a wrong label is heard', async () => {
  const said = await hear('failed', 'en', () =>
    page.locator('.svc-captcha .label').evaluate((label) => {
      label.textContent = 'I am a robot'
    }),
  )
  expect(said).toContain('I am a robot check box not checked.')
})

describe.each(LANGUAGES)('the gate’s page, %s', (language) => {
  const texts = textsOf(language)
  async function begin(): Promise<number> {
    await page.context().clearCookies()
    await page.setExtraHTTPHeaders({ 'accept-language': language })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    return reader.lines.length
  }

  test('says that it cannot check now', async () => {
    const from = await begin()
    await page.route('**/captcha.js*', (route) => route.abort())
    await page.goto(refusing)
    const sentence = beginning(sentences[language]!['failed']!)
    expect((await reader.heard(sentence, from)).at(-1)).toMatch(sentence)
  })

  test('has the check box, and says that a press was not accepted', async () => {
    const from = await begin()
    await page.goto(refusing)
    await page.locator('svc-captcha-box .box').waitFor()
    await page.locator('svc-captcha-box .mark').focus()
    await reader.heard(beginning(`${texts.label} check box not checked.`), from)
    await page.keyboard.press('Space')
    const refusal = beginning(texts.refused)
    expect((await reader.heard(refusal, from)).at(-1)).toMatch(refusal)
  })
})
