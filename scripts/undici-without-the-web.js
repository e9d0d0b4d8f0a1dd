import { resolve } from 'node:path';

// The index of undici also loads fetch, WebSocket, HTTP/2, caches and mocks: two thirds of it. Its
// parser has a second build with SIMD, which only helps with long headers.
export const undiciWithoutTheWeb = {
  name: 'undici without the web',
  resolveId(source, importer = '', { kind } = {}) {
    if (source === 'undici')
      return kind === 'dynamic-import'
        ? resolve('scripts/undici-proxy.cjs')
        : resolve('scripts/undici.cjs');
    if (importer.includes('/undici/') && /\/(web|client-h2|llhttp_simd-wasm)/.test(source))
      return '\0unused';
  },
  load: (id) =>
    id === '\0unused' ? { code: 'module.exports = {};', moduleType: 'js' } : undefined,
};
