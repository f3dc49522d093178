import type { WireSignals } from '../../../src/wire.ts'
import { hasConsoleListener } from './console-listener.ts'

/** Names that drivers leave in the page. */
const ARTEFACT =
  /^(\$?cdc_|\$(chrome|wdc)_|__pw|__?playwright|__puppeteer|pptr|__?[sS]elenium|__(web|fx)?driver|_phantom|callPhantom|domAutomation|__nightmare|calledSelenium|__lastWatir)/

/** Returns signs of a driver. @param probes whether the console may be probed: developer tools also listen to it. @param again probes again. */
export function automationSignals(
  probes: boolean,
  again: boolean,
): NonNullable<WireSignals['automation']> {
  const { webdriver, userAgent, userAgentData } = navigator as Navigator & {
    userAgentData?: { brands?: { brand: string }[] }
  }
  const names = [userAgent, ...(userAgentData?.brands ?? []).map(({ brand }) => brand)]
  return {
    webdriver: webdriver ? 1 : 0,
    headless: Number(names.some((name) => /Headless/.test(name))),
    artefacts: Math.min(99, artefacts()),
    ...(probes && { console: Number(hasConsoleListener(again)) }),
  }
}

const artefacts = (): number =>
  [...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(document)].filter((name) =>
    ARTEFACT.test(name),
  ).length
