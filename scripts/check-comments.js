// Check of comments: width, and forms that the style guide rules out. `npm run check` runs it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const widest = 100;
const question = /^\/\/ (?:What|Who|Whose|How|Where|Which|When|Whether|Why|That|All that) /;
const isNo = /\b(?:is|was) no (?!longer|more)/;
const comment = /^\s*(?:\/\/|\/?\*)/;
// A comment after code, outside of a string.
const trailing = /^[^'"`]*\s\/\/ /;
// Pragmas and grammar tables cannot be wrapped.
const unwrapped = /biome-ignore|^\/\/ {3}/;

const files = ['bin', 'scripts', 'src', 'test']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path))),
  )
  .filter((path) => /\.(?:ts|js|cjs|mjs)$/.test(path));

const found = files.flatMap((path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      faultsOf(line, index).map((fault) => `${path}:${index + 1}: ${fault}`),
    ),
);
if (found.length > 0) {
  process.stderr.write(`${found.join('\n')}\n`);
  process.exitCode = 1;
}

function faultsOf(line, index) {
  if (!comment.test(line) && !trailing.test(line)) return [];
  return [
    ...(line.length > widest && !unwrapped.test(line)
      ? [`a comment has at most ${widest} characters in a line`]
      : []),
    ...(index === 0 && question.test(line)
      ? ['a header is a noun phrase: "Settings of `serve`"']
      : []),
    ...(isNo.test(line) && !/\bthere is no\b/i.test(line) ? ['write "is not a", not "is no"'] : []),
  ];
}
