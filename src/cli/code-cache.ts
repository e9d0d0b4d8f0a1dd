// V8 neither parses nor compiles what it finds compiled: dist/code-cache/VERSION has the code of
// what every command runs, made by scripts/code-cache.js for the Node that built the program. Any
// other Node compiles as ever. What comes from the cache cannot import() what Node itself has:
// process.getBuiltinModule gives it.
import { existsSync, readFileSync } from 'node:fs';
import type { Module } from 'node:module';
import { basename, dirname, join } from 'node:path';

// Node runs the text of a CommonJS file with this method. It is undocumented, but loaders have used
// it since the first versions.
interface Compiling extends Module {
  _compile(text: string, file: string): unknown;
}

/** Where the compiled code of the program in a folder is, for the Node that runs. */
export const codeCacheOf = (folder: string) => join(folder, 'code-cache', process.version);

/**
 * From now on, files of the program are taken from the cache in its folder. V8's flags must be set
 * before: code is bound to them.
 */
export function useCodeCache(folder: string) {
  const cache = codeCacheOf(folder);
  if (!existsSync(cache)) return;
  const modules = process.getBuiltinModule('node:module');
  const { Script } = process.getBuiltinModule('node:vm');
  const compiling = modules.Module.prototype as Compiling;
  const compile = compiling._compile;
  compiling._compile = function (text, file) {
    const compiled = join(cache, basename(file));
    if (dirname(dirname(file)) !== folder || !existsSync(compiled))
      return compile.call(this, text, file);
    const script = new Script(modules.wrap(text), {
      filename: file,
      cachedData: readFileSync(compiled),
    });
    return script
      .runInThisContext()
      .call(this.exports, this.exports, this.require.bind(this), this, file, dirname(file));
  };
}
