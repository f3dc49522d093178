import type { WireSignals } from '../../../src/wire.ts'

const ARTEFACT =
  /^(\$?cdc_|\$chrome_|__pw|__playwright|__puppeteer|__selenium|_selenium|__webdriver|__driver|__fxdriver|_phantom|callPhantom|domAutomation)/

/** Whether a driver runs this browser, as far as the browser says so. RISK.md, section 1. */
export function automationSignals(): NonNullable<WireSignals['automation']> {
  const { webdriver } = navigator as { webdriver?: boolean }
  const brands = (navigator as { userAgentData?: { brands?: { brand: string }[] } }).userAgentData?.brands ?? []
  const names = [...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(document)]
  return {
    // Every engine of today has it; who removed it had a reason.
    webdriver: webdriver === undefined ? 2 : Number(webdriver),
    headless: Number(/Headless/.test(navigator.userAgent) || brands.some(({ brand }) => /Headless/.test(brand))),
    artefacts: Math.min(99, names.filter((name) => ARTEFACT.test(name)).length),
    altered: Number(isAltered()),
    console: Number(isListened()),
  }
}

/** Extensions of real people replace functions too: a light sign. */
function isAltered(): boolean {
  return (
    Object.getOwnPropertyNames(navigator).length > 0 ||
    ['webdriver', 'languages', 'hardwareConcurrency', 'platform'].some(isReplaced)
  )
}

function isReplaced(name: string): boolean {
  const described = Object.getOwnPropertyDescriptor(Navigator.prototype, name)
  // oxlint-disable-next-line typescript/unbound-method -- looked at, never called
  const getter = described?.get
  return getter !== undefined && !/\[native code\]/.test(Function.prototype.toString.call(getter))
}

/** Who listens to the console looks at the name of an error more than once. */
function isListened(): boolean {
  let reads = 0
  const error = new Error('')
  Object.setPrototypeOf(
    error,
    Object.create(Error.prototype, {
      name: { get: () => (reads++, 'Error') },
    }) as object,
  )
  // oxlint-disable-next-line eslint/no-console -- the listener is what we ask for
  console.debug(error)
  return reads > 1
}
