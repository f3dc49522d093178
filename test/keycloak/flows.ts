/** What docs/start/keycloak.md has an administrator do in the console, by the requests that the console sends. */
import type { Keycloak } from './start.ts'

interface Execution {
  readonly id: string
  readonly displayName: string
  readonly providerId?: string
  readonly authenticationConfig?: string
}

interface Flow {
  /** The flow of Keycloak's own that is copied. */
  readonly flow: string
  /** The realm's setting that binds the copy. */
  readonly binding: 'browserFlow' | 'registrationFlow' | 'resetCredentialsFlow'
  /** The part of the flow where our step stands, as the copy calls it; undefined: the flow itself. */
  readonly part?: string
  /** The step that ours replaces. */
  readonly replaces?: string
  readonly provider: string
}

export const FLOWS = {
  login: {
    flow: 'browser',
    binding: 'browserFlow',
    part: 'forms',
    replaces: 'auth-username-password-form',
    provider: 'human-verification-login',
  },
  registration: {
    flow: 'registration',
    binding: 'registrationFlow',
    part: 'registration form',
    provider: 'human-verification-registration',
  },
  'reset-credentials': {
    flow: 'reset credentials',
    binding: 'resetCredentialsFlow',
    replaces: 'reset-credentials-choose-user',
    provider: 'human-verification-reset-credentials',
  },
} as const satisfies Readonly<Record<string, Flow>>

export type FormName = keyof typeof FLOWS

/** Settings of a step, as the console shows them. */
export interface Settings {
  readonly service: string
  readonly sitekey: string
  readonly secret: string
  readonly public?: string
}

const path = (name: string): string => encodeURIComponent(name)

/** Duplicates a flow, puts our step in with its settings, and binds the copy. */
export async function protect(
  { admin }: Keycloak,
  realm: string,
  form: FormName,
  settings: Settings,
): Promise<void> {
  const { flow, binding, part, replaces, provider }: Flow = FLOWS[form]
  const copy = `verified ${flow}`
  const at = `/${realm}/authentication`
  const steps = () => admin<Execution[]>('GET', `${at}/flows/${path(copy)}/executions`)

  await admin('POST', `${at}/flows/${path(flow)}/copy`, { newName: copy })
  const old = (await steps()).find(({ providerId }) => providerId === replaces)
  if (replaces !== undefined) await admin('DELETE', `${at}/executions/${old!.id}`)
  const place = part === undefined ? copy : `${copy} ${part}`
  await admin('POST', `${at}/flows/${path(place)}/executions/execution`, { provider })
  const step = (await steps()).find(({ providerId }) => providerId === provider)!
  const required = { ...step, requirement: 'REQUIRED' }
  await admin('PUT', `${at}/flows/${path(copy)}/executions`, required)
  // Dragged to the top; the steps of a registration have no order.
  const places = replaces === undefined ? 0 : 4
  for (let i = 0; i < places; i++) await admin('POST', `${at}/executions/${step.id}/raise-priority`)
  await admin('POST', `${at}/executions/${step.id}/config`, { alias: copy, config: settings })
  await admin('PUT', `/${realm}`, { [binding]: copy })
}

/** Changes the settings of our step in a flow. */
export async function configure(
  { admin }: Keycloak,
  realm: string,
  form: FormName,
  settings: Partial<Settings>,
): Promise<void> {
  const { flow, provider } = FLOWS[form]
  const copy = `verified ${flow}`
  const at = `/${realm}/authentication`
  const steps = await admin<Execution[]>('GET', `${at}/flows/${path(copy)}/executions`)
  const id = steps.find(({ providerId }) => providerId === provider)!.authenticationConfig!
  await admin('PUT', `${at}/config/${id}`, { id, alias: copy, config: settings })
}
