/** Without `src/http/fast-path/` the service is slower, not wrong: the tests of the wire pass through Express alone. */
import { expect, jest, test } from '@jest/globals'

jest.unstable_mockModule('../../../src/http/fast-path/fast-path.ts', () => ({ fastPath: (app: unknown) => app }))
jest.unstable_mockModule('../../../src/http/fast-path/message-classes.ts', () => ({ messageClasses: () => ({}) }))

const { createApp } = await import('../../../src/app.ts')
const { testService } = await import('../../support/app.ts')

test('nothing of the fast path is left', async () => {
  const service = await testService()
  const { serve, messages } = createApp(service.parts)
  await service.stop(0)
  expect(messages).toEqual({})
  // An Express application, which is a function with settings.
  expect(serve).toHaveProperty('settings')
})

await import('../contract/spec.test.ts')
await import('./bad-input.test.ts')
