/** One table of cases, every language of `examples/verify/`. */
import { describe } from '@jest/globals'
import { client, LANGUAGES } from './languages.ts'
import { tryTable } from './table.ts'

describe.each(LANGUAGES)('$name', (language) => {
  tryTable(() => client(language))
})
