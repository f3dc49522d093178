/** What happens to the form of a widget. */
export interface FormEvents {
  /** The visitor focuses, presses or fills in a part of the form. */
  onTouch(): void
  /** A submit was stopped; `release` sends it. Called again for each further submit meanwhile. */
  onHold(): void
  /** The form was sent, and the page is still open. */
  onStay(): void
  /** The held submit could not be sent. */
  onSendFailure(): void
  /** The visitor has cancelled the held submit, or leaves the page. */
  onCancel(): void
  /** A script is about to send the form without a token. */
  onMiss(): void
}
