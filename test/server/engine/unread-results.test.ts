// Results that clients do not read: their memory is limited, and a stopped one is cut off.
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { bytesOfChunk, UnreadResults } from '../../../src/server/engine/unread-results.ts';
import { startService } from '../../support/service.ts';

test('the earliest results of the user with the most bytes are stopped', () => {
  const unread = new UnreadResults(10);
  const stopped: string[] = [];
  const result = (name: string, user: string | undefined, bytes: number) => ({
    user,
    bytes,
    stop: () => void stopped.push(name),
  });
  unread.add(result('modest', 'modest', 3));
  unread.add(result('first', 'greedy', 4));
  unread.add(result('second', 'greedy', 3));
  expect(stopped).toEqual([]);
  unread.add(result('third', 'greedy', 3));
  expect(stopped).toEqual(['first']);
  const fourth = result('fourth', 'greedy', 3);
  unread.add(fourth);
  expect(stopped).toEqual(['first', 'second']);
  unread.delete(fourth);
  unread.add(result('fifth', undefined, 4));
  expect(stopped).toEqual(['first', 'second']);
});

test('a single result may be larger than the limit', () => {
  const unread = new UnreadResults(10);
  const stopped: string[] = [];
  unread.add({ user: 'one', bytes: 20, stop: () => void stopped.push('one') });
  expect(stopped).toEqual([]);
});

test('the bytes of a chunk grow with its texts and lists', () => {
  const bytesOf = (value: Parameters<typeof bytesOfChunk>[0]['columns'][number][number]) =>
    bytesOfChunk({ rowCount: 1, columns: [[value]] });
  expect(bytesOf('x'.repeat(1000))).toBe(bytesOf(null) + 1000);
  expect(bytesOf(new Uint8Array(1000))).toBe(bytesOf(7n) + 1000);
  expect(bytesOf(['x'.repeat(1000), 1])).toBe(3 * bytesOf(true) + 1000);
});

test('a reply that is not read is cut off at the timeout of its query', async () => {
  const { url } = await startService();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.pause();
  const body = JSON.stringify({ query: endless(), context: { timeout: 1500 } });
  socket.write(
    `POST /svc/v2/sql HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => running(url), { timeout: 5000 }).toHaveLength(1);
  await expect.poll(() => running(url), { timeout: 10_000 }).toEqual([]);
});

async function running(url: string): Promise<unknown[]> {
  const reply = await fetch(`${url}/svc/v2/sql/queries`);
  return ((await reply.json()) as { queries: unknown[] }).queries;
}

function endless(): string {
  const values = `(VALUES ${Array.from({ length: 20 }, (_, n) => `(${n})`).join(', ')})`;
  const tables = Array.from({ length: 6 }, (_, index) => `${values} AS t${index} (n)`);
  return `SELECT 1 FROM ${tables.join(' CROSS JOIN ')}`;
}
