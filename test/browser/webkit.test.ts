import { startWebkit } from '../support/webkit.ts'
import { coreSuite } from './core-suite.ts'

coreSuite('WebKit', () => startWebkit(), [
  ['as in Lockdown Mode', () => startWebkit({ JSC_useJIT: '0' })],
])
