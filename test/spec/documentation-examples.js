// Writes what a real Druid 33.0.0 replies to each example of documentation-examples.jsonl, which
// stands for an example of the engine's own documentation over columns of the test's data. A new
// example has no reply yet: {"page":"sql-scalar","statement":"SELECT ..."} or
// {"page":"filters","query":{...}}. Usage: node test/spec/documentation-examples.js --real URL
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { serviceAt } from '../fuzz/sql/service.js';

const { real } = parseArgs({ options: { real: { type: 'string' } } }).values;
if (!real) {
  console.error('error: say --real URL, of a Druid 33.0.0');
  process.exit(2);
}
const file = new URL('documentation-examples.jsonl', import.meta.url);
const service = serviceAt(real);
await service.load();
const lines = [];
for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
  const example = JSON.parse(line);
  const { status, text } = example.statement
    ? await service.ask(example.statement)
    : await service.askNative(example.query);
  lines.push(JSON.stringify({ ...example, status, reply: text.trim() }));
}
writeFileSync(file, `${lines.join('\n')}\n`);
console.log(`${lines.length} examples`);
