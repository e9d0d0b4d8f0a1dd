// Refusals that are made from errors of DuckDB.
import { expect, test } from 'vitest';
import { refusalFor } from '../../../src/server/engine/refusals.ts';
import { failureClasses, failureSql } from '../../../src/sql/runtime/own-words.ts';

test('our own message stays whole where the whole disk is an allowed folder', () => {
  const given = /error\('(.*)' \|\| '(.*)'\)/.exec(failureSql("'/ by zero'", 'arithmetic'));
  const error = new Error(`Invalid Input Error: ${given?.[1]}${given?.[2]}`);
  expect(refusalFor(error, ['/'], '/data')).toMatchObject({
    category: 'runtimeFailure',
    message: '/ by zero',
    details: { legacy: { errorClass: failureClasses.arithmetic } },
  });
});
