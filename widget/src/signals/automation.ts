import type { WireSignals } from '../../../src/wire.ts'
import { isListened } from './listened.ts'
import { alteredNatives } from './realm.ts'

/*
 * Signs of a driver that runs this browser, as far as the browser says so.
 *
 * Why: the standard asks drivers to set `navigator.webdriver`; headless browsers name themselves; drivers leave names in the page.
 * Who could be hurt: people with developer tools open (console), and with extensions that replace functions (altered).
 * Measured: docs/design/risk.md, "What separates".
 */

type AutomationSignals = NonNullable<WireSignals['automation']>

const ARTEFACT =
  /^(\$?cdc_|\$(chrome|wdc)_|__pw|__?playwright|__puppeteer|pptr|__?[sS]elenium|__(web|fx)?driver|_phantom|callPhantom|domAutomation|__nightmare|calledSelenium|__lastWatir)/

export interface AutomationWatch {
  /**
   * @param scripted events that scripts without an address raised.
   * @param probes whether the console may be asked who listens.
   */
  summary(scripted: number, probes: boolean): AutomationSignals
}

/** Looks early, when the script comes, and again at each summary: drivers leave some of their names late. */
export function watchAutomation(place: Node): AutomationWatch {
  const early = artefacts()
  const altered = Math.min(99, alteredNatives(place))
  const hasOwn = Object.getOwnPropertyNames(navigator).includes('webdriver')
  let isGranted: boolean | undefined
  void mayReadPosition().then((granted) => (isGranted = granted))
  return {
    summary(scripted, probes) {
      const { webdriver } = navigator as { webdriver?: boolean }
      const brands = (navigator as { userAgentData?: { brands?: { brand: string }[] } }).userAgentData?.brands ?? []
      return {
        // Every engine of today has it; who removed it had a reason.
        webdriver: webdriver === undefined ? 2 : Number(webdriver),
        ownWebdriver: Number(hasOwn),
        headless: Number(/Headless/.test(navigator.userAgent) || brands.some(({ brand }) => /Headless/.test(brand))),
        artefacts: Math.min(99, Math.max(early, artefacts())),
        altered,
        ...(probes && { console: Number(isListened()) }),
        scripted,
        ...(isGranted !== undefined && { granted: Number(isGranted) }),
      }
    },
  }
}

const artefacts = (): number =>
  [...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(document)].filter((name) => ARTEFACT.test(name))
    .length

/** A permission that this page need not have asked for. Not every browser knows the name; then nothing is said. */
async function mayReadPosition(): Promise<boolean | undefined> {
  try {
    return (await navigator.permissions.query({ name: 'geolocation' })).state === 'granted'
  } catch {
    return undefined
  }
}
