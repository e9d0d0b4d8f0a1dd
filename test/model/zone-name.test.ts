import { expect, test } from 'vitest';
import { timeZoneOf } from '../../src/model/time-zone.ts';
import { zoneNameAt } from '../../src/model/zone-name.ts';

// As a real 33.0.0 writes the patterns z and zzzz.
test.each([
  ['America/New_York', '2015-09-12', 'EDT', 'Eastern Daylight Time'],
  ['America/New_York', '2015-01-12', 'EST', 'Eastern Standard Time'],
  ['Europe/Berlin', '2015-09-12', 'CEST', 'Central European Summer Time'],
  ['Europe/London', '2015-01-12', 'GMT', 'Greenwich Mean Time'],
  ['Asia/Kolkata', '2015-01-12', 'IST', 'India Standard Time'],
  ['Asia/Kathmandu', '2015-01-12', 'NPT', 'Nepal Time'],
  ['Australia/Lord_Howe', '2015-01-12', 'LHDT', 'Lord Howe Daylight Time'],
  ['America/Sao_Paulo', '2015-01-12', 'BRST', 'Brasilia Summer Time'],
  ['Etc/GMT+5', '2015-01-12', '-05:00', '-05:00'],
  ['+05:30', '2015-01-12', '+05:30', '+05:30'],
  ['UTC', '2015-01-12', 'UTC', 'Coordinated Universal Time'],
])('%s has its name on %s', (id, day, short, long) => {
  const zone = timeZoneOf(id);
  expect([
    zoneNameAt(zone, Date.parse(day), 'short'),
    zoneNameAt(zone, Date.parse(day), 'long'),
  ]).toEqual([short, long]);
});

test('a zone has a name at every instant', () => {
  const zone = timeZoneOf('Europe/Berlin');
  expect(zoneNameAt(zone, 9e18, 'short')).toMatch(/^CES?T$/);
  expect(zoneNameAt(zone, -9e18, 'short')).toBe('CET');
});

test('a zone of long ago is called as it is now, and does not change the names of other times', () => {
  const zone = timeZoneOf('America/New_York');
  expect(zoneNameAt(zone, Date.UTC(1900, 0), 'long')).toBe('Eastern Standard Time');
  expect(zoneNameAt(zone, Date.UTC(1969, 0), 'short')).toBe('EST');
  expect(zoneNameAt(timeZoneOf('Europe/London'), -1e12, 'short')).toBe('BST');
  const moscow = timeZoneOf('Europe/Moscow');
  expect(zoneNameAt(moscow, 1e12, 'long')).toBe('Moscow Summer Time');
  expect(zoneNameAt(moscow, 1.4e12, 'long')).toBe('Moscow Standard Time');
});
