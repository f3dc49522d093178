import { startOnce } from './svc-captcha.ts'
import { workerCode } from './worker.ts'

// Pages on the service's own origin start their workers from this very file.
if (typeof document === 'undefined') workerCode(self)
else startOnce()
