// Nested data of several values, and paths, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import type { EngineVersion } from '../../../src/model/engine-version.ts';
import { answering, refusal } from '../statements-over-tables.ts';

test('an object is made of each of several values', async () => {
  const answer = await answering();
  expect(await answer("SELECT JSON_OBJECT('t': tags) FROM edits")).toEqual([
    ['[{"t":"city"},{"t":"capital"}]'],
    ['{"t":"city"}'],
    ['{"t":null}'],
    ['[{"t":"river"},{"t":"city"}]'],
  ]);
});

test('a text of JSON is made of each of several values', async () => {
  const answer = await answering();
  expect(await answer('SELECT TO_JSON_STRING(tags) FROM edits')).toEqual([
    [['"city"', '"capital"']],
    [['"city"']],
    [[null]], // which a result shows as null
    [['"river"', '"city"']],
  ]);
});

test('an asterisk in a path is a name', async () => {
  const answer = await answering();
  expect(
    await answer(
      `SELECT JSON_VALUE(PARSE_JSON('{"a":1,"*":2}'), '$.*'), JSON_VALUE(PARSE_JSON('{"a":1}'), '$.*')`,
    ),
  ).toEqual([['2', null]]);
});

test('JSON_MERGE omits nulls behind a value before version 37', async () => {
  const answer = await answering();
  const merged = (version: EngineVersion) =>
    answer(
      `SELECT JSON_MERGE('{"x":1}', page, '{"y":2}'), JSON_MERGE('{"x":1}', TRY_PARSE_JSON('en')) FROM edits WHERE page IS NULL`,
      { version },
    );
  expect(await merged(33)).toEqual([['{"x":1,"y":2}', '{"x":1}']]);
  expect(await merged(39)).toEqual([[null, null]]);
});

test('JSON_VALUE takes NULL for what is missing and nothing else', async () => {
  const answer = await answering();
  const value = (words: string) => `SELECT JSON_VALUE(PARSE_JSON('{"a":1}'), '$.b' ${words})`;
  expect(await answer(value('NULL ON EMPTY NULL ON ERROR'))).toEqual([[null]]);
  expect(refusal(value("DEFAULT 'x' ON EMPTY"))).toBe(
    "Unsupported JSON_VALUE parameter 'ON EMPTY' defined - please re-issue this query without this argument",
  );
  expect(refusal(value('ERROR ON ERROR'))).toContain("'ON ERROR' defined");
});

test('documents are compared as numbers', async () => {
  const answer = await answering();
  const equal = async (left: string, right: string) => {
    const [row] = await answer(
      `SELECT PARSE_JSON(REPLACE(author, author, '${left}')) = PARSE_JSON('${right}') FROM edits`,
    );
    return row?.[0];
  };
  expect(await equal('1', '1.0')).toBe(true);
  expect(await equal('"1"', '1')).toBe(true);
  expect(await equal('true', '1')).toBe(true);
  expect(await equal('2', '1')).toBe(false);
  expect(await equal('{"a":1}', '{"a":1}')).toBeNull();
  expect(await equal('"a"', '"a"')).toBeNull();
  expect(await answer("SELECT PARSE_JSON('[1]') = PARSE_JSON('[1]')")).toEqual([[true]]);
});

test('documents that are no numbers are distinct from all others, and null is not from null', async () => {
  const answer = await answering();
  const document = (text: string) => `PARSE_JSON(REPLACE(author, author, '${text}'))`;
  const isDistinct = async (left: string, right: string) => {
    const [row] = await answer(
      `SELECT ${left} IS DISTINCT FROM ${right}, ${left} IS NOT DISTINCT FROM ${right} FROM edits`,
    );
    return row;
  };
  const object = document('{"a":1}');
  expect(await isDistinct(object, 'NULL')).toEqual([true, false]);
  expect(await isDistinct(object, document('{"a": 1}'))).toEqual([true, false]);
  expect(await isDistinct(document('"a"'), document('1'))).toEqual([true, false]);
  expect(await isDistinct(document('1'), document('true'))).toEqual([false, true]);
  expect(await isDistinct(document('null'), object)).toEqual([true, false]);
  expect(await isDistinct(document('null'), document(' null'))).toEqual([false, true]);
});
