/** Which gate counts for a host. */
import { isLike } from './rules.ts'

const lengthOf = (name: string): number => name.replace('*.', '').length

/** Returns the hosts and patterns of some gates, each with its gate, the longest first. */
export const hostsOf = <G extends { readonly hosts: readonly string[] }>(gates: readonly G[]) =>
  gates
    .flatMap((gate) => gate.hosts.map((name) => ({ name, gate })))
    .sort((one, other) => lengthOf(other.name) - lengthOf(one.name))

/** @param hosts the longest first. */
export const findHost = <P extends { readonly name: string }>(
  hosts: readonly P[],
  host: string,
): P | undefined => hosts.find(({ name }) => isLike(host, name))
