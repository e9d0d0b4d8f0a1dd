// Stages in the live report of a multi-stage query. HTTP requests are too slow to see all of them.
import { expect, test } from 'vitest';
import { Stage } from '../../../src/server/overlord/multi-stage/report.ts';

const definition = { input: [], processor: { type: 'scan' }, signature: [], maxWorkers: 1 };

test('a stage has a phase when it has started: it reads, has read, and is complete or has failed, which is the end', () => {
  const clock = { now: 0 };
  const stage = new Stage(definition, () => clock.now, 'RESULTS_COMPLETE');
  const shown = () => {
    const { phase, duration } = stage.json('query', 0);
    return [phase, duration];
  };
  expect(shown()).toEqual([undefined, undefined]);
  stage.end('FAILED'); // a query that fails ends all its stages, and this one has never begun
  expect(shown()).toEqual([undefined, undefined]);
  stage.start();
  clock.now = 10;
  expect(shown()).toEqual(['READING_INPUT', 10]);
  stage.start('POST_READING');
  clock.now = 20;
  expect(shown()).toEqual(['POST_READING', 20]);
  stage.end();
  clock.now = 30;
  stage.end('FAILED');
  expect(shown()).toEqual(['RESULTS_COMPLETE', 20]);
});
