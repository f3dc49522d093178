/** The worker, bundled and minified by widget/rollup.config.js. */
declare module 'inline:worker' {
  const source: string
  export default source
}
