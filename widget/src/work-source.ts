import type { ChallengeAnswer, ChallengeRequest } from '../../src/wire.ts'
import type { Reply, Service } from './service.ts'
import type { ErrorNumber } from './errors.ts'
import { tryPb, workerRungs } from './lanes.ts'
import type { Options } from './options.ts'
import { KNOWN_PROOF } from './proof/version.ts'
import { solveWork } from './solver.ts'
import type { Visit } from './visit.ts'
import type { SupplyNeeds } from './work-supply.ts'

export interface SourceNeeds {
  readonly options: Options
  /** Keeps every question from the service. */
  readonly fault: ErrorNumber | undefined
  /** The address of our own script as a worker may load it; '' if it may not. */
  readonly workerFile: string
  readonly service: Service
  readonly visit: Visit
  /** Settles when the page is visible. */
  readonly visible: () => Promise<void>
  readonly stop: AbortSignal
}

/** Asks for the challenges of one widget, and does their work. */
export function workSource({
  options,
  fault,
  workerFile,
  service,
  visit,
  visible,
  stop,
}: SourceNeeds): Pick<SupplyNeeds, 'ask' | 'askOther' | 'solve'> {
  const rungs = workerRungs(workerFile)

  async function ask(ticket: string, algorithm?: ChallengeRequest['algorithm']): Promise<Reply<ChallengeAnswer>> {
    if (fault) return { is: 'refused', code: fault }
    visit.working()
    const { sitekey, action, cdata } = options
    const reply = await service.challenge({ sitekey, action, cdata, proof: KNOWN_PROOF, algorithm, ticket }, stop)
    // The site has no default.
    return reply.is === 'refused' && reply.code === 105 && !options.action ? { is: 'refused', code: 101 } : reply
  }

  return {
    ask,
    async askOther(ticket) {
      await tryPb()
      return ask(ticket, 'pb.1')
    },
    async solve(answer, progressed, mayAsk) {
      visit.prove(answer.proof)
      return solveWork(answer, {
        rungs,
        progressed,
        visible,
        stop,
        // Elsewhere there is no cryptography of the browser's.
        mayAsk: mayAsk && isSecureContext,
      })
    },
  }
}
