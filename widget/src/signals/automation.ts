import type { WireSignals } from '../../../src/wire.ts'
import { isListened } from './listened.ts'

/*
 * Signs of a driver that runs this browser, as far as the browser says so.
 *
 * Why: the standard asks drivers to set `navigator.webdriver`; headless browsers name themselves; drivers leave names in the page.
 * Who could be hurt: people with developer tools open (console).
 * Measured: docs/design/risk.md, "What separates".
 */

const ARTEFACT =
  /^(\$?cdc_|\$(chrome|wdc)_|__pw|__?playwright|__puppeteer|pptr|__?[sS]elenium|__(web|fx)?driver|_phantom|callPhantom|domAutomation|__nightmare|calledSelenium|__lastWatir)/

/**
 * Looks at the browser as it is now: at each summary anew, because drivers leave some of their names late.
 *
 * @param probes whether the console may be asked who listens.
 * @param anew asks it again, whatever it said before.
 */
export function automationSignals(probes: boolean, anew: boolean): NonNullable<WireSignals['automation']> {
  const { webdriver, userAgent, userAgentData } = navigator as Navigator & {
    userAgentData?: { brands?: { brand: string }[] }
  }
  const names = [userAgent, ...(userAgentData?.brands ?? []).map(({ brand }) => brand)]
  return {
    webdriver: webdriver ? 1 : 0,
    headless: Number(names.some((name) => /Headless/.test(name))),
    artefacts: Math.min(99, artefacts()),
    ...(probes && { console: Number(isListened(anew)) }),
  }
}

const artefacts = (): number =>
  [...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(document)].filter((name) => ARTEFACT.test(name))
    .length
