/** Headers that proxies of other companies leave in answers, as these companies document them; none was run. */
const TRACES: readonly (readonly [header: string, value: RegExp, name: string])[] = [
  ['cf-ray', /./, 'Cloudflare'],
  ['x-amz-cf-id', /./, 'CloudFront'],
  ['x-azure-ref', /./, 'Azure Front Door'],
  ['x-served-by', /^cache-/, 'Fastly'],
  ['server', /^AkamaiGHost/, 'Akamai'],
  ['x-iinfo', /./, 'Imperva'],
  ['x-sucuri-id', /./, 'Sucuri'],
  ['cdn-requestid', /./, 'bunny.net'],
  ['server', /^cdn77/i, 'CDN77'],
  ['x-vercel-id', /./, 'Vercel'],
  ['fly-request-id', /./, 'Fly.io'],
  ['via', /\bgoogle$/, 'a load balancer of Google'],
]

/** Returns the name of a CDN, or of another proxy that is not the operator's, through which an answer has come. */
export const frontOf = (headers: Headers): string | undefined =>
  TRACES.find(([header, value]) => value.test(headers.get(header) ?? ''))?.[2]
