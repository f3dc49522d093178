/** Every fault of the application below a path of another program (src/create-service.ts). */
import { PLACE } from '../../support/app.ts'

PLACE.mount = '/hv'
await import('./fail-closed.test.ts')
