import { describe, expect, test } from '@jest/globals'
import { type Options, readOptions } from '../../../widget/src/options.ts'

/** What is read of a container with these `data-` attributes, as `dataset` spells them, and of the call. */
const read = (dataset: Readonly<Record<string, string>>, given: object = {}): Options =>
  readOptions({ dataset } as unknown as HTMLElement, given, 'https://verify.example.com/')

// Turnstile's own spelling was ignored without a word, so a page that came from there never heard of an error.
describe('an option of the call that is spelled as an attribute', () => {
  const onError = (): void => {}

  test.each([
    ['error-callback', 'errorCallback', onError],
    ['expired-callback', 'expiredCallback', 'onExpired'],
    ['response-field-name', 'responseFieldName', 'cf-turnstile-response'],
  ] as const)('%s is %s', (spelled, name, value) => {
    expect(read({}, { [spelled]: value })[name]).toBe(value)
  })

  test('wins over the attribute, as any other of the call', () => {
    const { errorCallback, responseFieldName } = read(
      { errorCallback: 'ofThePage', responseFieldName: 'of-the-page' },
      { 'error-callback': onError },
    )
    expect([errorCallback, responseFieldName]).toEqual([onError, 'of-the-page'])
  })

  // React's optional properties come so.
  test('does not win over the attribute when it is undefined, in either spelling', () => {
    const { action, errorCallback } = read(
      { action: 'sign-up', errorCallback: 'ofThePage' },
      { action: undefined, 'error-callback': undefined },
    )
    expect([action, errorCallback]).toEqual(['sign-up', 'ofThePage'])
  })
})

test('what other scripts of the page put on Object.prototype is no option, in either spelling', () => {
  const polluted = Object.prototype as unknown as Record<string, string>
  polluted['response-field-name'] = polluted['errorCallback'] = 'evil'
  try {
    const { responseFieldName, errorCallback } = read({})
    expect([responseFieldName, errorCallback]).toEqual(['svc-response', undefined])
  } finally {
    delete polluted['response-field-name']
    delete polluted['errorCallback']
  }
})
