import { startFirefox } from '../support/firefox.ts'
import { coreSuite } from './core-suite.ts'

coreSuite('Firefox', () => startFirefox())
