/** The forms of WordPress itself, as a visitor fills them in. */

let people = 0
/** Numbers the visitors, so that no two write the same. */
export const nextPerson = (): number => ++people

export const LOGIN = '/wp-login.php'
export const POST = '/?p=7'
/** A form of wp-login.php: where it is and is sent to, the address of an accepted one, its fields for a new visitor, its button. */
const coreForm = (query: string, done: RegExp, fields: () => Readonly<Record<string, string>>) => {
  return { at: LOGIN + query, to: LOGIN + query, done, fields, button: '#wp-submit' }
}
export type Form = ReturnType<typeof coreForm>
export const person = (log: string, pwd = 'correct horse') => ({
  log,
  pwd,
  'two-factor-code': '123456',
})
export const login = coreForm('', /\/wp-admin\/profile\.php$/, () => person('member'))
export const lostPassword = coreForm('?action=lostpassword', /checkemail=confirm/, () => ({
  user_login: 'member',
}))
export const registration = coreForm('?action=register', /checkemail=registered/, () => {
  return { user_login: `new${++people}`, user_email: `new${people}@example.com` }
})
export const comment: Form = {
  at: POST,
  to: '/wp-comments-post.php',
  done: /#comment-\d+$/,
  fields: () => ({
    comment: `Nice, ${++people}`,
    author: 'Ada',
    email: `ada${people}@example.com`,
  }),
  button: '#submit',
}
export const FORMS = { login, registration, 'lost-password': lostPassword, comment }
