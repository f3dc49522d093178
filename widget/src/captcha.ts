// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration file of ambient modules cannot be imported
/// <reference path="./inline.d.ts" />
import workerCode from 'inline:worker'
import { startOnce } from './svc-captcha.ts'

// Pages on the service's own origin start their workers from this very file.
if (typeof document === 'undefined') workerCode(self)
else startOnce()
