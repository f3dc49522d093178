const FIRST = ['Maria', 'Jonas', 'Aisha', 'Tom', 'Elena', 'Peter', 'Grace', 'Luis', 'Hannah', 'Omar', 'Ines', 'Paul']
const LAST = ['Keller', 'Lind', 'Okafor', 'Byrne', 'Rossi', 'Novak', 'Hart', 'Moreno', 'Weiss', 'Haddad', 'Costa']
const MAIL = ['mailbox.org', 'posteo.net', 'example.com', 'example.org']
const HEARD = ['a friend told me', 'I read about it in a magazine', 'the shop in our street', 'from my sister']

/** Somebody to sign up: what is typed into the form. */
export function somebody(dice) {
  const [first, last] = [dice.pick(FIRST), dice.pick(LAST)]
  return {
    name: `${first} ${last}`,
    email: `${first.toLowerCase()}.${last.toLowerCase()}@${dice.pick(MAIL)}`,
    comment: dice.pick(HEARD),
  }
}
