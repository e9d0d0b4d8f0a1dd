// Builder of dist/code-cache: runs list commands of the built program against a service with empty
// lists and stores the code that V8 compiled, for src/cli/code-cache.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire, Module } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { Script } from 'node:vm';

const dist = resolve('dist');
const scripts = new Map();
const compile = Module.prototype._compile;
Module.prototype._compile = function (text, file) {
  if (dirname(file) !== join(dist, 'chunks')) return compile.call(this, text, file);
  const script = new Script(Module.wrap(text), { filename: file });
  scripts.set(basename(file), script);
  return script
    .runInThisContext()
    .call(this.exports, this.exports, this.require.bind(this), this, file, dirname(file));
};

const service = createServer((_, reply) =>
  reply.setHeader('content-type', 'application/json').end('[]'),
).listen(0, '127.0.0.1');
await new Promise((listening) => service.once('listening', listening));
const { main } = createRequire(import.meta.url)(join(dist, 'main.cjs'));
for (const noun of ['supervisors', 'tasks']) {
  process.argv.splice(
    2,
    Infinity,
    noun,
    'list',
    '--url',
    `http://127.0.0.1:${service.address().port}`,
  );
  await main(process);
}
service.close();
service.closeAllConnections();
const folder = join(dist, 'code-cache', process.version);
mkdirSync(folder, { recursive: true });
for (const [name, script] of scripts) writeFileSync(join(folder, name), script.createCachedData());
