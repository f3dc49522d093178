/**
 * Keys going down and up, in order of time.
 *
 * @param {readonly import('./read-keys.mjs').Stroke[]} strokes
 * @returns {{ at: number, key: string, character?: string, isDown: boolean }[]}
 */
export const transitions = (strokes) =>
  strokes
    .flatMap(({ at, until, key, character }) => [
      { at, key, character, isDown: true },
      { at: until, key, character, isDown: false },
    ])
    .sort((a, b) => a.at - b.at)
