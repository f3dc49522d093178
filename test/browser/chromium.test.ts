import { startChromium } from '../support/chromium.ts'
import { coreSuite } from './core-suite.ts'

coreSuite('Chromium', () => startChromium(), [
  ['in workers of a blob:', () => startChromium(['--js-flags=--jitless'])],
])
