import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import terser from '@rollup/plugin-terser'
import { bundle } from '../widget/build-script.js'

const out = new URL('../dist/dashboard/', import.meta.url)
mkdirSync(out, { recursive: true })
const script = await bundle('../dashboard/src/main.ts', { format: 'es' }, [
  terser({ ecma: 2020, module: true }),
])
writeFileSync(new URL('dashboard.js', out), script)
for (const file of ['index.html', 'dashboard.css'])
  cpSync(new URL(file, import.meta.url), new URL(file, out))
