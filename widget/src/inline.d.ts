/** What widget/rollup.config.js makes and puts in: the worker as text. */
declare module 'inline:worker' {
  const source: string
  export default source
}

/** The words of the language that the file is built for; none of them in English. */
declare module 'inline:texts' {
  const texts: Readonly<Record<string, string>>
  export default texts
}

/** `sha256-…` of `captcha-visit-en.js`. */
declare module 'inline:integrity' {
  const integrity: string
  export default integrity
}
