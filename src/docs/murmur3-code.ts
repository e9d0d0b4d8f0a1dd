// The code of the hash for WebAssembly, assembled from its text.
import { readFileSync } from 'node:fs';
import wabt from 'wabt';

/** The source file that holds the code. */
export async function murmur3Code(): Promise<string> {
  const { parseWat } = await wabt();
  const path = 'src/sketches/murmur3.wat';
  const assembled = parseWat(path, readFileSync(path, 'utf8'));
  const text = Buffer.from(assembled.toBinary({}).buffer).toString('base64');
  const lines = text.match(/.{1,90}/g) ?? [];
  return `// Generated from murmur3.wat by \`npm run docs\`.

/** The WebAssembly module in base64. */
export const murmur3Code = [
${lines.map((line) => `  '${line}',`).join('\n')}
].join('');
`;
}
