import { peer } from './peers.mjs'

export default peer(import.meta.filename)
