// Program of a process that reads Avro files: a child process of the service. A hostile file may
// crash it, and the service kills it when the task ends. Rows are written to files, as lines of
// JSON.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { Container } from './avro/container.ts';
import { Lines } from './avro/lines.ts';
import type { AvroJob, AvroOutcome } from './avro/messages.ts';
import { rowReader } from './avro/rows.ts';
import { endWithService } from './engine/child-program.ts';

endWithService();

const job = JSON.parse(readFileSync(0, 'utf8')) as AvroJob;
let [rows, bytes] = [0, 0];
for (const file of job.files) {
  const outcome = outcomeOf(file);
  writeSync(1, `${JSON.stringify(outcome)}\n`);
  if ('failure' in outcome) break;
}
process.exit();

function outcomeOf({ path, output }: AvroJob['files'][number]): AvroOutcome {
  const from = openSync(path, 'r');
  const to = openSync(output, 'w', 0o600);
  try {
    return convert(from, to);
  } catch (error) {
    return { failure: reasonOf(error) };
  } finally {
    closeSync(from);
    closeSync(to);
  }
}

function convert(from: number, to: number): AvroOutcome {
  const container = new Container(from);
  const reader = rowReader(container.header.schema, { readerSchema: undefined, ...job });
  const output = new Lines(to, job.maxBytes - bytes);
  for (
    let block = container.next();
    block && rows < (job.maxRows ?? Number.POSITIVE_INFINITY);
    block = container.next()
  ) {
    let at = 0;
    for (
      let left = block.count;
      left > 0 && rows < (job.maxRows ?? Number.POSITIVE_INFINITY);
      left--, rows++
    ) {
      const { line, end } = reader.read(block.data, at);
      at = end;
      output.add(line);
    }
  }
  output.flush();
  bytes += output.sizeBytes;
  return output;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof RangeError)) return error.message;
  return error.message.includes('call stack')
    ? 'a row or its schema is nested too deeply'
    : 'a row is damaged: a list or a text in it is longer than its block';
}
