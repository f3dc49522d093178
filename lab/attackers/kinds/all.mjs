import { EMULATIONS } from './emulations.mjs'
import { FARMS } from './farms.mjs'
import { NEIGHBOURS } from './neighbours.mjs'
import { ORACLE } from './oracle.mjs'
import { RELAYS, REPLAYS } from './replays.mjs'
import { SCHOOL } from './school.mjs'
import { STEPS } from './steps.mjs'

/** Every attacker, and the school that they resemble, in the order they run; each meets a service that has seen nobody. */
export const ATTACKERS = [
  ...FARMS,
  ...EMULATIONS,
  ...STEPS,
  ...REPLAYS,
  ...RELAYS,
  ...NEIGHBOURS,
  ORACLE,
  SCHOOL,
]
