/** The order of the two stores; the same against real ones is in test/world/limits/admission.test.ts. */
import { expect, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'
import { limiterThenLedger } from '../../../src/limits/admission.ts'
import type { Consumption, Operation } from '../../../src/ports/stores.ts'
import { entry, faultOf } from '../../support/ledger-contract.ts'

function stores(consumption: Consumption | Fault, refusal?: Fault) {
  const asked: string[] = []
  const admission = limiterThenLedger(
    {
      async take(operation, who) {
        asked.push(`take ${operation} ${who}`)
        if (refusal) throw refusal
      },
      charge: () => void asked.push('charge'),
      refusesFor: () => undefined,
      giveBack: (operation, who) => void asked.push(`give back ${operation} ${who}`),
      close: async () => {},
    },
    {
      async consume({ jti }) {
        asked.push(`consume ${jti}`)
        if (consumption instanceof Fault) throw consumption
        return consumption
      },
    },
  )
  return { asked, admission }
}

test.each<{ then: string; consumption: Consumption; operation: Operation }>([
  { then: 'taken', consumption: 'ours', operation: 'siteverify' },
  { then: 'given back', consumption: 'taken', operation: 'siteverify' },
  { then: 'given back', consumption: 'stale', operation: 'siteverify' },
  { then: 'given back', consumption: 'expired', operation: 'siteverify' },
  { then: 'taken', consumption: 'taken', operation: 'solve' },
  { then: 'taken', consumption: 'ours', operation: 'solve' },
])('the point of a $operation whose token is $consumption is $then', async ({ then, consumption, operation }) => {
  const { asked, admission } = stores(consumption)
  const one = entry('g' as never)
  expect(await admission.admit(operation, 'who', one)).toBe(consumption)
  const both = [`take ${operation} who`, `consume ${one.jti}`]
  expect(asked).toEqual(then === 'given back' ? [...both, `give back ${operation} who`] : both)
})

test('who may not call consumes nothing', async () => {
  const { asked, admission } = stores('ours', new Fault('rate-limit-exceeded'))
  expect(await faultOf(() => admission.admit('siteverify', 'who', entry('g' as never)))).toBe('rate-limit-exceeded')
  expect(asked).toEqual(['take siteverify who'])
})

test('a ledger that cannot be asked keeps the point: nobody knows whether it has consumed', async () => {
  const { asked, admission } = stores(new Fault('database-unavailable'))
  expect(await faultOf(() => admission.admit('siteverify', 'who', entry('g' as never)))).toBe('database-unavailable')
  expect(asked.filter((each) => each.startsWith('give back'))).toEqual([])
})
