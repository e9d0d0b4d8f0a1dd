import { expect, test } from 'vitest';
import {
  defaultThresholds,
  StateMachine,
} from '../../../../src/server/overlord/supervisors/state-machine.ts';

const started = (isSuspended = false, more = {}) =>
  new StateMachine({ ...defaultThresholds, ...more }, isSuspended);
const trouble = (message: string, isStream = false) => ({
  timeMs: 0,
  exceptionClass: 'x',
  message,
  isStream,
  stackTrace: 'at x',
});

const goodRun = (states: StateMachine) => {
  for (const step of [
    'CONNECTING_TO_STREAM',
    'DISCOVERING_INITIAL_TASKS',
    'CREATING_TASKS',
  ] as const)
    states.begins(step);
  states.runEnded();
};
const badRun = (states: StateMachine, isStream = true) => {
  states.begins('CONNECTING_TO_STREAM');
  states.failed(trouble('no answer', isStream));
  states.runEnded();
};
const times = (count: number, act: () => void) => {
  for (let i = 0; i < count; i++) act();
};

test('a supervisor is pending, tells the steps of its first run, and then runs', () => {
  const states = started();
  const seen = [states.detailedState];
  for (const step of [
    'CONNECTING_TO_STREAM',
    'DISCOVERING_INITIAL_TASKS',
    'CREATING_TASKS',
  ] as const) {
    states.begins(step);
    seen.push(states.detailedState);
    expect(states.state).toBe('RUNNING');
  }
  states.runEnded();
  expect([...seen, states.detailedState]).toEqual([
    'PENDING',
    'CONNECTING_TO_STREAM',
    'DISCOVERING_INITIAL_TASKS',
    'CREATING_TASKS',
    'RUNNING',
  ]);
  states.begins('CONNECTING_TO_STREAM');
  expect(states.detailedState).toBe('RUNNING'); // the steps are told of the first run only
});

test('a suspended one ends up SUSPENDED, and is healthy', () => {
  const states = started(true);
  goodRun(states);
  expect([states.state, states.detailedState, states.isHealthy]).toEqual([
    'SUSPENDED',
    'SUSPENDED',
    true,
  ]);
});

test.each([
  [0, 'UNABLE_TO_CONNECT_TO_STREAM'],
  [1, 'LOST_CONTACT_WITH_STREAM'],
])(
  'after %i good runs, three failures of the stream in a row: %s; three good runs make up for it',
  (goodRuns, detailed) => {
    const states = started();
    times(goodRuns, () => goodRun(states));
    times(2, () => badRun(states));
    expect(states.isHealthy).toBe(true);
    badRun(states);
    expect([states.state, states.detailedState, states.isHealthy]).toEqual([
      'UNHEALTHY_SUPERVISOR',
      detailed,
      false,
    ]);
    times(2, () => goodRun(states));
    expect(states.isHealthy).toBe(false);
    goodRun(states);
    expect([states.state, states.isHealthy]).toEqual(['RUNNING', true]);
  },
);

test('failures that are not the stream’s make an unhealthy supervisor without more detail', () => {
  const states = started();
  times(3, () => badRun(states, false));
  expect(states.detailedState).toBe('UNHEALTHY_SUPERVISOR');
});

test('three failed tasks in a row: UNHEALTHY_TASKS, until three have succeeded', () => {
  const states = started();
  goodRun(states);
  times(3, () => states.taskEnded(false));
  goodRun(states);
  expect([states.state, states.isHealthy]).toEqual(['UNHEALTHY_TASKS', false]);
  times(2, () => states.taskEnded(true));
  goodRun(states);
  expect(states.state).toBe('UNHEALTHY_TASKS');
  states.taskEnded(true);
  goodRun(states);
  expect(states.state).toBe('RUNNING');
});

test('the thresholds are settings, and so are how many errors are kept and whether with their stacks', () => {
  const states = started(false, {
    unhealthinessThreshold: 1,
    maxStoredExceptionEvents: 2,
    storeStackTrace: true,
  });
  for (const message of ['one', 'two', 'three']) states.failed(trouble(message));
  states.runEnded();
  expect(states.isHealthy).toBe(false);
  expect(states.errors.map(({ message, stackTrace }) => [message, stackTrace])).toEqual([
    ['two', 'at x'],
    ['three', 'at x'],
  ]);
  const usual = started();
  usual.failed(trouble('one'));
  expect(usual.errors[0]?.stackTrace).toBeUndefined();
});

test('a supervisor that stops is STOPPING whatever else happens', () => {
  const states = started();
  states.stops();
  goodRun(states);
  expect(states.state).toBe('STOPPING');
});

test('an idle one is IDLE, and runs again when there is something to do', () => {
  const states = started();
  goodRun(states);
  states.settles('IDLE');
  goodRun(states);
  expect([states.state, states.isHealthy]).toEqual(['IDLE', true]);
  states.settles('RUNNING');
  goodRun(states);
  expect(states.state).toBe('RUNNING');
});
