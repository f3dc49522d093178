/** Plays the hands of a person on the keyboard of a display. */
export function keyboard({ x }, person, dice) {
  async function play(strokes) {
    let before = 0
    for (const { at, key, isDown } of transitions(strokes)) {
      x.key(key, isDown, Math.round(at) - before)
      before = Math.round(at)
    }
    await x.done()
  }

  return {
    /** Presses a key, perhaps with a modifier. */
    async tap(name, modifier) {
      const held = dice.between(60, 120)
      if (modifier) x.key(modifier, true)
      x.tap(name, modifier ? dice.between(60, 140) : 0, held)
      if (modifier) x.key(modifier, false, dice.between(20, 60))
      await x.done()
    },
    /** Types a text as the person does. */
    type: (text) => play(person.type(text)),
    /** Types one of the person's own sentences. */
    typeSentence: () => play(person.sentence()),
  }
}

/** Keys going down and up, in order of time. */
export const transitions = (strokes) =>
  strokes
    .flatMap(({ at, until, key, character }) => [
      { at, key, character, isDown: true },
      { at: until, key, character, isDown: false },
    ])
    .sort((a, b) => a.at - b.at)
