// A recorded session of the live screen: keys in, screens out.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { plainPainter } from '../../../src/cli/output/painter.ts';
import { marksFor } from '../../../src/cli/terminal/marks.ts';
import { widthOf } from '../../../src/cli/terminal/width.ts';
import { ServiceError } from '../../../src/client/errors.ts';
import { TopSession, type World } from '../../../src/commands/top/session.ts';
import type { TopSnapshot } from '../../../src/commands/top/snapshot.ts';
import { type TopRow, type View, viewColumns } from '../../../src/commands/top/view.ts';

const noCommand = async () => {
  throw new Error('Commands are not loaded here');
};
const input = { args: {}, options: {} };

const listed = (name: string, rows: () => readonly TopRow[] | string): View => ({
  name,
  columns: viewColumns({ id: {}, state: { kind: 'state' }, size: { kind: 'bytes' } }),
  load: async () => rows(),
  details: ({ id }) => ({ title: `why ${id}`, load: noCommand, input }),
  log: ({ id }) => ({ title: `log ${id}`, load: noCommand, input }),
  cancel: ({ id }) => ({
    title: `cancel ${id}`,
    question: `Cancel task [${id}]?`,
    load: noCommand,
    input,
  }),
});

const row = (id: string, state: string, size: number): TopRow => ({ id, cells: [id, state, size] });

const snapshot: TopSnapshot = {
  time: '2024-05-01T12:00:00.000Z',
  service: 'http://127.0.0.1:8888',
  tasks: { running: 1, pending: 1, waiting: 0 },
  slots: { used: 1, all: 2 },
  active: [],
  supervisors: [],
  loadQueue: [],
  servers: [],
  queries: [],
};

function started(columns = 60, rows = 12, given: Partial<World> = {}) {
  let tasks = [
    row('alpha', 'RUNNING', 2048),
    row('beta', 'PENDING', 10),
    row('gamma', 'SUCCESS', 512),
  ];
  const ran: string[] = [];
  let screen: readonly string[] = [];
  let frames = 0;
  let hear = (_: string) => {};
  const world: World = {
    context: {
      call: async () => {
        throw new ServiceError({ status: 404, message: 'unknown' } as never);
      },
    },
    views: [
      listed('tasks', () => tasks),
      listed('supervisors', () => []),
      listed('queries', () => 'The service does not list its queries.'),
    ],
    snapshot: async () => snapshot,
    run: async ({ title }) => {
      ran.push(title);
      if (title.startsWith('cancel')) tasks = tasks.filter(({ id }) => !title.endsWith(id));
      return title.startsWith('log')
        ? Array.from({ length: 20 }, (_, at) => `line ${at + 1}`)
        : [`${title} says so`];
    },
    now: () => 0,
    look: {
      isUnicode: true,
      marks: marksFor({ LANG: 'C.UTF-8' }),
      painter: plainPainter,
      chosen: (line) => line,
    },
    refuse: undefined,
    ...given,
  };
  const session = new TopSession(world, snapshot, 1e6, (listen) => {
    hear = listen;
    return {
      columns,
      rows,
      paint: (lines) => {
        screen = lines;
        frames++;
      },
      forget: () => {},
      close: () => {},
    };
  });
  const ended = session.run();
  return {
    ran,
    ended,
    frames: () => frames,
    /** The screen after some keys. */
    async after(...keys: string[]) {
      for (const key of keys) {
        hear(key);
        for (let turns = 0; turns < 5; turns++) await turn();
      }
      return `\n${screen.map((line) => line.trimEnd()).join('\n')}\n`;
    },
  };
}

test('a session: choose, explain, read the log, cancel, filter, sort, leave', async () => {
  const { after, ran, ended } = started();
  await turn();
  expect(await after('down')).toMatchInlineSnapshot(`
    "
    http://127.0.0.1:8888  12:00:00 UTC
    tasks: 1 running, 1 pending, 0 waiting, 1 of 2 slots
    slots    █ 1      lag      -      queries/s      -      row…
    [1:tasks]  2:supervisors   3:queries   3 rows
      ID     STATE       SIZE
      alpha  RUNNING  2.0 KiB
    ❯ beta   PENDING     10 B
      gamma  SUCCESS    512 B



    Enter why  l log  r report  c cancel  s sort  / filter  : c…
    "
  `);
  expect(await after('enter')).toMatchInlineSnapshot(`
    "
    http://127.0.0.1:8888  12:00:00 UTC
    tasks: 1 running, 1 pending, 0 waiting, 1 of 2 slots
    slots    █ 1      lag      -      queries/s      -      row…
    [1:tasks]  2:supervisors   3:queries   3 rows
    why beta
    why beta says so





    arrows, PgUp, PgDn scroll  Esc back
    "
  `);
  expect(await after('escape', 'l')).toMatchInlineSnapshot(`
    "
    http://127.0.0.1:8888  12:00:00 UTC
    tasks: 1 running, 1 pending, 0 waiting, 1 of 2 slots
    slots    █ 1      lag      -      queries/s      -      row…
    [1:tasks]  2:supervisors   3:queries   3 rows
    log beta  15 to 20 of 20
    line 15
    line 16
    line 17
    line 18
    line 19
    line 20
    arrows, PgUp, PgDn scroll  Esc back
    "
  `);
  expect(await after('home')).toContain('log beta  1 to 6 of 20\nline 1\n');
  expect(await after('q', 'c')).toContain('\nCancel task [beta]? y/N\n');
  expect(await after('n')).toContain('\nNothing was changed.\n');
  expect(ran).toEqual(['why beta', 'log beta']);
  expect(await after('c', 'y')).toMatchInlineSnapshot(`
    "
    http://127.0.0.1:8888  12:00:00 UTC
    tasks: 1 running, 1 pending, 0 waiting, 1 of 2 slots
    slots    █ 1      lag      -      queries/s      -      row…
    [1:tasks]  2:supervisors   3:queries   2 rows
      ID     STATE       SIZE
    ❯ alpha  RUNNING  2.0 KiB
      gamma  SUCCESS    512 B




    cancel beta says so
    "
  `);
  expect(ran.at(-1)).toBe('cancel beta');
  expect(await after('/', 'a', 'l', 'p')).toContain('1 of 2 rows /alp');
  expect(await after('enter', 'escape', 's', 's', 's')).toMatchInlineSnapshot(`
    "
    http://127.0.0.1:8888  12:00:00 UTC
    tasks: 1 running, 1 pending, 0 waiting, 1 of 2 slots
    slots    █ 1      lag      -      queries/s      -      row…
    [1:tasks]  2:supervisors   3:queries   2 rows
      ID     STATE     SIZE ↓
    ❯ alpha  RUNNING  2.0 KiB
      gamma  SUCCESS    512 B




    Enter why  l log  r report  c cancel  s sort  / filter  : c…
    "
  `);
  expect(await after('S')).toMatch(/SIZE ↑\n. gamma .*\n. alpha /);
  expect(await after('2')).toContain('There are no supervisors.');
  expect(await after('right')).toContain('The service does not list its queries.');
  await after('q');
  expect(await ended).toBe(0);
});

test('commands behind a colon: views, sort, filter; unknown ones are named', async () => {
  const { after, ended } = started(100);
  await turn();
  expect(await after(':', 's', 'u', 'p', 'tab')).toContain('\n:supervisors_\n');
  expect(await after('enter')).toContain('[2:supervisors]');
  expect(await after(':', 't', 'a', 'enter')).toContain('[1:tasks]');
  expect(await after(':', ...'sort -size', 'enter')).toContain('SIZE ↓');
  expect(await after(':', ...'sort nope', 'enter')).toContain(
    'Column [nope] does not exist: there are id, state, size',
  );
  expect(await after(':', ...'filter gam', 'enter')).toContain('1 of 3 rows /gam');
  expect(await after(':', 'x', 'enter')).toContain('Command [x] does not exist: there are tasks,');
  expect(await after(':', ...'every 0', 'enter')).toContain('not a number of seconds');
  expect(await after('?')).toContain('arrows, j k   choose a row');
  await after('ctrl-c');
  expect(await ended).toBe(130);
});

test('a protected profile keeps the screen from changing anything', async () => {
  const { after, ran, ended } = started(100, 12, {
    refuse: (title) => `The profile is protected: svcctl ${title} asks for the name`,
  });
  await turn();
  expect(await after('down', 'c', 'y')).toContain(
    'The profile is protected: svcctl cancel beta asks for the name',
  );
  expect(ran).toEqual([]);
  await after('q');
  await ended;
});

test('every screen has its size, from 20x5 to 200x60', async () => {
  for (const [columns, rows] of [
    [20, 5],
    [40, 10],
    [80, 24],
    [140, 40],
    [200, 60],
  ] as const) {
    const { after, ended } = started(columns, rows);
    await turn();
    for (const keys of [
      ['down'],
      ['enter'],
      ['q', 'l'],
      ['q', '?'],
      ['q', 'c'],
      ['n', '/', '日'],
    ]) {
      const screen = (await after(...keys)).slice(1, -1).split('\n');
      expect(screen).toHaveLength(rows);
      for (const line of screen)
        expect(widthOf(line), `${columns}x${rows} ${keys}: ${line}`).toBeLessThanOrEqual(columns);
    }
    await after('ctrl-c');
    await ended;
  }
});

test('a list that was loaded in part says that there are more', async () => {
  const views = [{ ...listed('segments', () => [row('a', 'LOADED', 1)]), most: 1 }];
  const { after, ended } = started(60, 12, { views });
  await turn();
  expect(await after('down')).toContain('1+ rows');
  await after('ctrl-c');
  await ended;
});
