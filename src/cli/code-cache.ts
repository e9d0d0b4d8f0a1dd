// Compiled code for V8: dist/code-cache/VERSION holds the code that every command runs, so V8 does
// not parse and compile it again. scripts/code-cache.js writes it for the Node version that built
// the program; other versions compile as usual. Cached code cannot import() built-in modules and
// uses process.getBuiltinModule instead.
import { existsSync, readFileSync } from 'node:fs';
import type { Module } from 'node:module';
import { basename, dirname, join } from 'node:path';

// Node compiles the text of a CommonJS file with this method. The method is undocumented, but
// loaders have used it since the first versions.
interface Compiling extends Module {
  _compile(text: string, file: string): unknown;
}

/** The folder of the compiled code below a program's folder, for the running Node version. */
export const codeCacheOf = (folder: string) => join(folder, 'code-cache', process.version);

/**
 * Loads files of the program from the cache in its folder from now on. Set V8's flags before the
 * call: the cached code is bound to them.
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
