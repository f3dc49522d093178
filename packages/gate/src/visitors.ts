/** Who a visitor is, by everything that the gate can know. */
import { Agents, type Signature } from './agents.ts'
import { Guests, guestsWithHosts, verified } from './guests.ts'
import { dnsOf, HostNames } from './host-names.ts'
import { claimed, type Identity } from './identity.ts'
import type { KeyDirectories } from './key-directories.ts'
import { type Configuration, guestsIn } from './read-settings.ts'
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
  readonly #hostNames: HostNames
  /** Those that a gate names: nothing is asked about others. */
  readonly #withHosts: ReturnType<typeof guestsWithHosts>

  constructor(
    { fetched, agents, gates, name_servers }: Configuration,
    directories: KeyDirectories,
  ) {
    this.#guests = new Guests(fetched)
    this.#agents = new Agents(agents, directories)
    this.#hostNames = new HostNames(dnsOf(name_servers))
    this.#withHosts = guestsWithHosts(new Set(guestsIn(gates)))
  }

  /** @param isCounted whether this is the request itself, and not the page that is shown for it. */
  async identify(visit: Visit, isCounted = true): Promise<Identified> {
    const signature = await this.#agents.identify(visit, isCounted)
    return { identity: joined(await this.#guestOf(visit), signature), signature }
  }

  /** Asks DNS about those who claim to be a guest that has host names, and about nobody else. */
  async #guestOf(visit: Visit): Promise<Identity> {
    const guest = this.#guests.identify(visit)
    const known = guest.strength === 'claimed' ? this.#withHosts.get(guest.name!) : undefined
    if (!known) return guest
    return (await this.#hostNames.confirms(visit.address, known.hosts!)) ? verified(known) : guest
  }
}

/** A signature counts before the address, and whoever has both may use both. */
function joined(guest: Identity, signature: Signature | undefined): Identity {
  if (signature?.agent === undefined) return guest
  const { agent, result } = signature
  if (result === 'verified') return { ...guest, strength: 'verified', name: agent, agent }
  return guest.strength === 'verified' ? guest : claimed(agent)
}
