/** What the exit code of every command says; docs/operate/commands.md has this table. */
export const EXIT = {
  /** Done; and nothing is wrong with what was looked at. */
  done: 0,
  /** Problems were found, or it could not be done: the words on standard error say which. */
  problems: 1,
  /** Called wrongly: nothing was looked at and nothing was done. */
  wrongCall: 2,
  /** A defect of ours, as in sysexits.h (EX_SOFTWARE): worth reporting. */
  defect: 70,
} as const

export const EXIT_MEANS: readonly (readonly [number, string])[] = [
  [EXIT.done, 'done, and nothing is wrong with what was looked at'],
  [EXIT.problems, 'problems were found, or it could not be done; standard error says which, and nothing was changed'],
  [EXIT.wrongCall, 'called wrongly: nothing was looked at, nothing was done'],
  [EXIT.defect, 'a defect of ours, with its stack on standard error: please report it'],
]
