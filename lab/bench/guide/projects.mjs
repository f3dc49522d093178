/**
 * The kinds of project that lab/bench/guide.mjs follows the guide in.
 *
 * @typedef {object} Project
 * @property {string} name As the result calls it.
 * @property {string} [folder] The files that its customer writes, beside this; none: those of docs/start/guide.md.
 * @property {readonly string[]} [page] Files of the guide's page that it has too.
 * @property {readonly string[]} packages Of the npm registry, beside our own.
 * @property {string} [verifier] The file of examples/verify that is copied into it, in place of our package.
 * @property {readonly import('../../../test/support/programs.mjs').ProgramName[]} [needs] Programs of the distribution.
 * @property {readonly string[]} [build] A command.
 * @property {(port: number) => readonly string[]} start A command that listens there.
 * @property {string} path Where its form is sent.
 */

const BIN = (name) => `node_modules/.bin/${name}`

/** @type {readonly Project[]} */
export const PROJECTS = [
  {
    name: 'Express 5, with the service itself',
    page: ['public/index.html', 'server.js'],
    packages: ['express@5.3.0'],
    start: () => [process.execPath, 'server.js'],
    path: '/sign-up',
  },
  {
    name: 'Next.js 16',
    folder: 'next',
    packages: ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'],
    build: [BIN('next'), 'build'],
    start: (port) => [BIN('next'), 'start', '--port', String(port)],
    path: '/sign-up',
  },
  {
    name: 'SvelteKit 2',
    folder: 'sveltekit',
    packages: [
      '@sveltejs/kit@2.70.4',
      '@sveltejs/adapter-node@5.5.7',
      '@sveltejs/vite-plugin-svelte@6.2.3',
      'svelte@5.57.3',
      'vite@7.3.8',
    ],
    build: [BIN('vite'), 'build'],
    start: () => [process.execPath, 'build/index.js'],
    path: '/',
  },
  {
    name: "Flask, Debian's",
    folder: 'flask',
    page: ['public/index.html'],
    packages: [],
    verifier: 'verify.py',
    needs: ['flask'],
    start: (port) => ['/usr/bin/python3', '-m', 'flask', '--app', 'app', 'run', '--port', String(port)],
    path: '/sign-up',
  },
  {
    name: "PHP, Debian's, without a framework",
    folder: 'php',
    page: ['public/index.html'],
    packages: [],
    verifier: 'verify.php',
    needs: ['php'],
    start: (port) => ['php', '-S', `localhost:${port}`, 'index.php'],
    path: '/sign-up',
  },
]
