import { describe, expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import { budgetLimiter } from '../../src/store/limits/budget-limiter.ts'
import { memoryLimits } from '../../src/store/limits/limit-store.ts'
import { PLENTY, SITEKEY } from '../support/app.ts'
import { ACCEPTED, begin, inChromium, on, twoButtons } from './stage.ts'

/** What core-suite.ts does not test in every engine: submits. */
inChromium(async () => {
  await begin()
  on.customer.page = twoButtons(on.service.base)
})

describe('a form', () => {
  test('whose button skips validation is sent as it is, held or not', async () => {
    await on.open(
      twoButtons(on.service.base).replace(
        'formaction="/paid"',
        'formaction="/draft" formnovalidate',
      ),
    )
    await on.page.getByText('Paid').click()
    const sent = await on.arrived(1)
    expect(sent).toMatchObject({ path: '/draft', verdict: { success: true } })
    expect(sent.fields).toContainEqual(['email', ''])
  })

  test('that the browser finds incomplete is not sent, and no token is spent on it', async () => {
    await on.open()
    await on.page.getByLabel('Email').focus()
    await on.until('ready')
    await on.page.getByText('Free').click()
    await on.page.waitForTimeout(300)
    expect(on.customer.submissions).toHaveLength(0)
    expect(on.calls('solve')).toHaveLength(0)
  })

  test('shows its listeners a submit only when the token is there', async () => {
    await on.open(`${on.customer.page}<script>window.seen = []
      for (const capture of [true, false])
        document.addEventListener('submit', (event) => {
          event.preventDefault()
          seen.push(new FormData(event.target).get('svc-response').length > 20)
        }, capture)</script>`)
    await on.fill()
    await on.page.getByText('Free').click()
    await on.until('verified')
    await on.page.waitForFunction('seen.length > 1')
    expect(await on.page.evaluate('seen')).toEqual([true, true])
  })
})

describe('without the service', () => {
  test('of an address over its rate limit, the form waits, shows it, and is sent without an error', async () => {
    await begin(
      {},
      {
        limiter: budgetLimiter(memoryLimits(), {
          ...PLENTY,
          challenge: { points: 3 / 25, per: seconds(4) },
        }),
      },
    )
    // The visits of this machine's address, as of its neighbours; it is refused at 25 times its rate.
    const body = new URLSearchParams({ sitekey: SITEKEY, action: 'sign-up' })
    const headers = { origin: on.customer.url }
    const ask = () =>
      fetch(`${on.service.base}/api/v1/challenge`, { method: 'POST', body, headers })
    while ((await ask()).status !== 429);
    await on.openForm('data-start="load"')
    await on.until('waiting')
    expect(await on.status()).toBe('Busy, trying again…')
    await on.until('ready')
    expect(await on.events()).toEqual([])
    expect(await on.sent()).toEqual(ACCEPTED)
    const statuses = await Promise.all(
      on.calls('challenge').map(async (one) => (await one.response())?.status()),
    )
    expect([statuses[0], statuses.at(-1)]).toEqual([429, 200])
  })

  test('that has lost its Redis, the form waits, and is sent automatically when Redis is back', async () => {
    await on.open()
    await on.prepare()
    await on.redis.stop()
    await on.page.getByText('Free').click({ noWaitAfter: true })
    await on.until('waiting')
    expect(on.customer.submissions).toHaveLength(0)
    await on.redis.start()
    expect(await on.arrived(1)).toMatchObject({ path: '/handle', verdict: { success: true } })
  }, 40_000)
})
