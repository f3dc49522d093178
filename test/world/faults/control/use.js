import { register } from 'node:module'

// Loaded before the built service, `node --import …/use.js?naive dist/main.js serve`: everything is what is shipped,
// and only the ledger is the one named after the question mark, from this folder. Test code only.

const name = new URL(import.meta.url).search.slice(1)
register('./swap.js', import.meta.url, {
  data: new URL(`./${name}-ledger.js`, import.meta.url).href,
})
