import { svcCaptcha } from './svc-captcha.ts'
import { workerCode } from './worker.ts'

// On the service's own origin, workers start from this file.
if (typeof document === 'undefined') workerCode(self)
else svcCaptcha()
