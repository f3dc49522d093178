/** Returns whether the visitor has just pressed something, and ever has; nothing where the browser does not tell (Firefox before 120). */
export const userActivation = (): Partial<UserActivation> =>
  (navigator as Partial<Navigator>).userActivation ?? {}
