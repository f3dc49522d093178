/** Sentences that synthetic people type; ours, and nothing but letters, commas and full stops. */
export const SENTENCES = [
  'We just moved the tea to the other shelf.',
  'Please call me when the boat comes in.',
  'They will be late again, so we start without them.',
  'The rain has stopped and the harbour is quiet.',
  'Her brother sells bread near the old bridge.',
  'Nobody told us that the shop was closed today.',
  'There is some room left on the next ferry.',
  'My sister wrote about it in a letter.',
  'They walked along the coast for an hour.',
  'You can send the keys with the first post.',
  'It was cold, so we lit the stove.',
  'Some of the boxes are still in the garden.',
  'I think the market opens at nine.',
  'Let me know how the garden looks in May.',
  'We found your note under the door.',
]
