import { verify, type Verification, type VerifyOptions } from '../client/verify.ts'

/** What a handler asked the service, and what it heard. */
export interface Exchange {
  /** The fields, with the secret and the token cut short. */
  readonly question: string
  /** JSON in lines; undefined: no answer came. */
  readonly answer: string | undefined
}

/** Verifies as a customer's handler does, and listens: for the demonstration, which shows both. */
export async function verifyAloud(
  options: Omit<VerifyOptions, 'fetch'>,
): Promise<{ readonly verification: Verification; readonly exchange: Exchange | undefined }> {
  let exchange: Exchange | undefined
  const listening: typeof fetch = async (input, init) => {
    const question = questionOf(init?.body as URLSearchParams)
    exchange = { question, answer: undefined }
    const res = await fetch(input, init)
    exchange = { question, answer: inLines(await res.clone().text()) }
    return res
  }
  const verification = await verify({ ...options, fetch: listening })
  return { verification, exchange }
}

const SHORT: Readonly<Record<string, number>> = { secret: 14, response: 24 }

const questionOf = (fields: URLSearchParams): string =>
  [...fields]
    .map(([name, value]) => {
      const most = SHORT[name] ?? Infinity
      return `${name}=${value.length > most ? `${value.slice(0, most)}… (${value.length} characters)` : value}`
    })
    .join('\n')

function inLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text.slice(0, 1000)
  }
}
