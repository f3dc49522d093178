// Makes a pass with jose (npm install jose): you vouch for one visitor, who then needs no score.
//
//     node pass.mjs pass-key.json hv_site_… sign-up shop.example.com
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { SignJWT } from 'jose'

const [keyFile, sitekey, action, hostname] = process.argv.slice(2)

const key = JSON.parse(await readFile(keyFile, 'utf8'))
const pass = await new SignJWT({
  aud: sitekey,
  action,
  hostname,
  jti: randomBytes(16).toString('base64url'),
})
  .setProtectedHeader({ alg: 'EdDSA', typ: 'pass+jwt', kid: key.kid })
  .setIssuedAt()
  .setExpirationTime('30m')
  .sign(key)
console.log(pass)
