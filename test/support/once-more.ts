/**
 * For the whole of `npm test` only: a test that fails is tried once more, and why it failed is printed. Hundreds of real
 * processes and browsers share the machine, and what a busy moment did to one of them should not decide. A defect fails
 * twice; `npm run test:only` and the fault suite never try again. `test/run.mjs` names and counts what passed at the second try.
 */
import { jest } from '@jest/globals'

jest.retryTimes(1, { logErrorsBeforeRetry: true })
