// The versions of the engine: what the older ones lack, and how a version is named.
import { expect, test } from 'vitest';
import { areas } from '../../src/contract/index.ts';
import { arrivals, engineVersions, lacksOf, namedVersion } from '../../src/model/engine-version.ts';
import { aggregates } from '../../src/sql/functions/aggregates.ts';
import { scalarFunctionTable } from '../../src/sql/functions/functions.ts';
import { specialFunctionTable } from '../../src/sql/functions/special.ts';

test('a name may have a version', () => {
  expect(namedVersion('druid')).toEqual({ service: 'druid', version: 39 });
  expect(namedVersion('druid@33')).toEqual({ service: 'druid', version: 33 });
  expect(namedVersion('druid@28')).toEqual({ fault: 'Version [28] is none of 27, 33, 37, 39' });
  expect(namedVersion('druid@')).toEqual({ fault: 'Version [] is none of 27, 33, 37, 39' });
  expect(namedVersion('svc@33')).toEqual({ fault: 'Only druid has versions, and [svc] has none' });
});

test('the newest lacks nothing, and each version has all that those before it have', () => {
  const counts = engineVersions.map((version) =>
    Object.values(lacksOf(version)).reduce((sum, { size }) => sum + size, 0),
  );
  expect(counts.at(-1)).toBe(0);
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
});

test('every function and endpoint that came with a version is one of this service', () => {
  const functions = { ...aggregates, ...specialFunctionTable, ...scalarFunctionTable };
  const endpoints = Object.values(areas).flatMap((area) =>
    Object.values(area).map(({ method, path }) => `${method} ${path}`),
  );
  for (const arrived of arrivals) {
    expect(Object.keys(functions)).toEqual(expect.arrayContaining([...(arrived.functions ?? [])]));
    expect(endpoints).toEqual(expect.arrayContaining([...(arrived.endpoints ?? [])]));
    expect(endpoints).toEqual(expect.arrayContaining(Object.keys(arrived.fields ?? {})));
  }
});
