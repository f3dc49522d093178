/** deploy/compose/gate/nginx.conf: the sample of deploy/gate for one machine, over http, with a site of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
const CHANGES: readonly (readonly [from: RegExp, to: string])[] = [
  [/^#.*\n/, ''],
  [/^ *ssl_.*\n/gm, ''],
  [/listen 443 ssl http2/g, 'listen 8088'],
  [/server_name www\.example\.com;/, 'server_name localhost 127.0.0.1;'],
  [/server 127\.0\.0\.1:8090 /, 'server balancer:8090 '],
]

/** @throws {Error} when the sample lacks what is replaced. */
export function composeGate(root: string): string {
  let text = readFileSync(join(root, 'deploy/gate/nginx.conf'), 'utf8')
  for (const [from, to] of CHANGES) {
    if (!new RegExp(from.source, 'm').test(text)) throw new Error(`nginx.conf lacks ${from}`)
    text = text.replaceAll(new RegExp(from.source, `${from.flags.replace('g', '')}g`), to)
  }
  const folders = TEMPORARY.map((name) => `    ${name}_temp_path /tmp/${name};`)
  const indented = text.trim().replaceAll(/^(?=.)/gm, '    ')
  return `# nginx of \`docker compose --profile gate up\`. npm run docs writes it from deploy/gate/nginx.conf; edit that.
pid /tmp/nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    types { text/html html; text/css css; text/javascript js; image/svg+xml svg; image/png png; }
${folders.join('\n')}

    # The site that the gate protects: the files of deploy/compose/gate/site.
    server {
        listen 127.0.0.1:3000;
        root /srv/site;
    }

${indented}
}
`
}
