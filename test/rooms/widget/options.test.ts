import { expect, test } from '@jest/globals'
import { type Options, readOptions } from '../../../widget/src/options.ts'

/** Reads a container with these `data-` attributes, as `dataset` spells them, and the options of a call. */
const read = (dataset: Readonly<Record<string, string>>, given: object = {}): Options =>
  readOptions({ dataset } as unknown as HTMLElement, given, 'https://verify.example.com/')

// Turnstile's own spelling was ignored without a word, so a page that came from there never heard of an error.
test('an option of the call may be spelled as an attribute, and wins over the attribute', () => {
  const onError = (): void => {}
  const onPage = { errorCallback: 'onErrorOfThePage', responseFieldName: 'of-the-page' }
  const options = read(onPage, { 'error-callback': onError, 'expired-callback': 'onExpired' })
  expect(options).toMatchObject({
    errorCallback: onError,
    expiredCallback: 'onExpired',
    responseFieldName: 'of-the-page',
  })
})

// React's optional properties come so.
test('an undefined option of the call leaves the attribute, in either spelling', () => {
  const onPage = { action: 'sign-up', errorCallback: 'onErrorOfThePage' }
  expect(read(onPage, { action: undefined, 'error-callback': undefined })).toMatchObject(onPage)
})
