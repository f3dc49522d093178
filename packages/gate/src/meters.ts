import { Counter, Histogram, Registry } from 'prom-client'

/** Counts of this process. No label can be chosen by a stranger: a host is named as the configuration does. */
export function createMeters() {
  const registry = new Registry()
  const counter = (name: string, help: string, ...labelNames: string[]): Counter =>
    new Counter({ name, help, labelNames, registers: [registry] })
  return {
    registry,
    checks: counter(
      'hv_gate_checks_total',
      'Checks, by host and answer: open, valid, or why not.',
      'host',
      'answer',
    ),
    guests: counter(
      'hv_gate_guests_total',
      'Checks of visitors who are a named guest, or say so, by host, guest, strength and answer.',
      'host',
      'guest',
      'strength',
      'answer',
    ),
    signatures: counter(
      'hv_gate_signatures_total',
      'Signed requests, by the agent of the configuration that they name and by what became of the signature.',
      'agent',
      'result',
    ),
    wouldBlock: counter(
      'hv_gate_would_block_total',
      'Visitors whom shadow let in, by host and by the rule that would have refused them.',
      'host',
      'rule',
    ),
    checkSeconds: new Histogram({
      name: 'hv_gate_check_seconds',
      help: 'Seconds that a check took.',
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1],
      registers: [registry],
    }),
    passes: counter(
      'hv_gate_passes_total',
      'Tokens posted, by host, result and level.',
      'host',
      'result',
      'level',
    ),
    /** blocked: the page was shown; challenged: its script was loaded; passed: a clearance was given. */
    funnel: counter('hv_gate_funnel_total', 'Visitors, by host and step.', 'host', 'step'),
  }
}

export type Meters = ReturnType<typeof createMeters>
