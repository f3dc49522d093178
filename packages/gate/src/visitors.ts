/** Who a visitor is, by everything that the gate can know. */
import { Agents, type Signature } from './agents.ts'
import { Guests } from './guests.ts'
import { claimed, type Identity } from './identity.ts'
import type { KeyDirectories } from './key-directories.ts'
import type { Configuration } from './read-settings.ts'
import type { Visit } from './visit.ts'

export interface Identified {
  readonly identity: Identity
  /** What became of the signature of the request, if it has one. */
  readonly signature: Signature | undefined
}

/** Names the visitors of one configuration, by their signatures, and by where they come from. */
export class Visitors {
  readonly #guests: Guests
  readonly #agents: Agents

  constructor({ fetched, agents }: Configuration, directories: KeyDirectories) {
    this.#guests = new Guests(fetched)
    this.#agents = new Agents(agents, directories)
  }

  /** @param isCounted whether this is the request itself, and not the page that is shown for it. */
  async identify(visit: Visit, isCounted = true): Promise<Identified> {
    const signature = await this.#agents.identify(visit, isCounted)
    return { identity: joined(this.#guests.identify(visit), signature), signature }
  }
}

/** A signature counts before the address, and whoever has both may use both. */
function joined(guest: Identity, signature: Signature | undefined): Identity {
  if (signature?.agent === undefined) return guest
  const { agent, result } = signature
  if (result === 'verified') return { ...guest, strength: 'verified', name: agent, agent }
  return guest.strength === 'verified' ? guest : claimed(agent)
}
