/** The shapes of other services below a path of another program (src/create-service.ts). */
import { PLACE } from '../../support/app.ts'

PLACE.mount = '/hv'
await import('./vendor-shapes.test.ts')
