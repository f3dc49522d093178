import { textSum } from '../../../src/domain/proof/agreed.ts'
import type { IntlJob, IntlTask } from '../../../src/wire.ts'

/** The sums of what `Intl` writes. Locale, zone and options are the task's: nothing of the visitor's is read. */
export const writeTexts = ([, jobs]: IntlTask): number[] => jobs.map((job) => textSum(write(job)))

function write(job: IntlJob): string {
  switch (job[0]) {
    case 'number': {
      const [, locale, digits, value] = job
      return new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
        value,
      )
    }
    case 'date': {
      const [, locale, timeZone, ms] = job
      const options = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone } as const
      return new Intl.DateTimeFormat(locale, options).format(ms)
    }
    case 'plural': {
      const [, locale, type, count] = job
      return new Intl.PluralRules(locale, { type: type as Intl.PluralRuleType }).select(count)
    }
    case 'sort': {
      const [, locale, words] = job
      return [...words].sort(new Intl.Collator(locale).compare).join()
    }
  }
}
