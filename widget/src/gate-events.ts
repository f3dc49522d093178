/** What a form gate tells its widget. */
export interface GateEvents {
  /** The visitor focuses, presses or fills in a part of the form. */
  touched(): void
  /** A submit was stopped; `release` sends it. Called again for each further submit meanwhile. */
  hold(): void
  /** The form was sent, and the page is still open. */
  stayed(): void
  /** The held submit could not be sent. */
  unsent(): void
  /** The visitor has cancelled the held submit, or leaves the page. */
  cancelled(): void
  /** A script is about to send the form without a token. */
  missed(): void
}
