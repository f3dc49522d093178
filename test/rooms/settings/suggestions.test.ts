import { expect, test } from '@jest/globals'
import { linesOf, check, minimal } from './refusal.ts'

const VALUES = `
  0 1.1 2 29 58 87.5 100 101 120 7200 8080 8080.5 65536 -1 0.5 1e21
  "90s" "7200 s" "2 hours" "90 minutes" "120000ms" "0s" "0.5"
  "5/s" "60/min" "100000000 per second" "0 per 1m" "2027-02-30" "2027-01-01"
  ":8080" ":99999" "::1" "1.2.3" "verify.example.com" "-.example"`.match(/"[^"]*"|\S+/g)!

const SITE = minimal.trimEnd().slice(0, -2)
const PLACES = {
  score_threshold: (value: string) => `${SITE}, score_threshold: ${value}}]`,
  shadow_threshold: (value: string) => `${SITE}, shadow_threshold: ${value}}]`,
  token_lifetime: (value: string) => `${SITE}, token_lifetime: ${value}}]`,
  human_cost: (value: string) => `${SITE}, work: {human_cost: ${value}}}]`,
  not_after: (value: string) => SITE.replace('}]', `, not_after: ${value}}]`) + '}]',
  challenge: (value: string) => `${minimal}limits: {challenge: ${value}}`,
  listen: (value: string) => `${minimal}listen: ${value}`,
  public_url: (value: string) => `${minimal}public_url: ${value}`,
}

/** Returns the text that a problem offers instead, or undefined. */
const offered = (line: string): string | undefined =>
  /\((?:did you mean |which unit\? |every address is )?([^ ()]+(?: per \w+)?)\??\)$/
    .exec(line)?.[1]
    ?.replace(/\?$/, '')

test.each(Object.entries(PLACES))(
  '%s: what a problem offers instead is accepted',
  (_name, written) => {
    const offers = VALUES.map((value) => linesOf(() => check(written(value))).at(-1)!)
      .map((line) => ({ line, text: offered(line) }))
      .filter(({ text }) => text !== undefined)
    expect(offers.length).toBeGreaterThan(0)
    const refused = offers.filter(({ text }) => {
      const value = /^[\d.]+$/.test(text!) ? text! : JSON.stringify(text)
      return linesOf(() => check(written(value)))[0] !== 'loaded'
    })
    expect(refused).toEqual([])
  },
)
