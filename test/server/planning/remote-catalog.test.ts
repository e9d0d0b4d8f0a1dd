// What a planning worker asks of the catalog gets its own answer, however the threads take turns.
import { MessageChannel, Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { remoteCatalog } from '../../../src/server/planning/remote-catalog.ts';

test('a late notification is not taken for an answer', () => {
  const { port1: calls, port2: answers } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  // Wakes each question once without an answer, as the notification of the answer before may do.
  const answering = `
    const { workerData: { answers, answered } } = require('node:worker_threads');
    answers.on('message', ({ name }) => {
      while (Atomics.notify(answered, 0) === 0);
      setTimeout(() => {
        answers.postMessage({ value: 'the lookup ' + name });
        Atomics.store(answered, 0, 1);
        Atomics.notify(answered, 0);
      }, 5);
    });`;
  const worker = new Worker(answering, { eval: true, workerData: { answers, answered }, transferList: [answers] });
  onTestFinished(async () => {
    calls.close();
    await worker.terminate();
  });
  const catalog = remoteCatalog({ calls, answered });
  const names = ['a', 'b', 'c'];
  expect(names.map((name) => catalog.findLookup(name))).toEqual(names.map((name) => `the lookup ${name}`));
});
