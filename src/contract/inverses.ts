// Inverse requests of changing endpoints for `svcctl undo`, or the reason for their absence.
import { differences, isObject, withoutNulls } from '../model/difference.ts';
import { commandLine } from '../model/shell-text.ts';
import { authentication } from './authentication.ts';
import { authorization } from './authorization.ts';
import { avatica } from './avatica.ts';
import { compaction } from './compaction.ts';
import { config } from './config.ts';
import type { Endpoint } from './endpoint.ts';
import { lookups } from './lookups.ts';
import { metadata } from './metadata.ts';
import { middleManager } from './middle-manager.ts';
import { native } from './native.ts';
import { rules } from './rules.ts';
import { segments } from './segments.ts';
import { sql } from './sql.ts';
import { statements } from './statements.ts';
import { supervisors } from './supervisors.ts';
import { tasks } from './tasks.ts';
import { workers } from './workers.ts';

export interface Inverse {
  /**
   * The request to read the state before and after the change; a missing object counts as
   * undefined. Without it, the sent request is sufficient.
   */
  readonly state?: (given: GivenRequest) => SentRequest;
  /**
   * The undo requests in order; empty when nothing was changed; a text is the reason why an undo is
   * impossible. `reply` is the reply to the change.
   */
  readonly undo: (
    given: GivenRequest,
    before: unknown,
    after: unknown,
    reply?: unknown,
  ) => readonly SentRequest[] | string;
  /** The reason why this particular request cannot be undone. */
  readonly unless?: (given: GivenRequest) => string | undefined;
  /** Effects of the change that remain after the undo. */
  readonly leaves?: (given: GivenRequest, before: unknown) => readonly Remainder[];
  /** A check of a change that the service made although it answered with status 500. */
  readonly madeAnyway?: MadeAnyway;
  /** The state covers more than the change, so a later difference is not conclusive. */
  readonly isWide?: true;
}

/** A check whether a change was made, by a state that is never out of date. */
export interface MadeAnyway {
  readonly state: (given: GivenRequest) => SentRequest;
  /** The reply that the service owes; undefined when the change was not made. */
  readonly replyOf: (given: GivenRequest, before: unknown, after: unknown) => unknown;
}

/** A sentence about a remaining effect, and the command that shows or reverts it. */
export interface Remainder {
  readonly says: string;
  readonly see?: string;
}

/** The parts of a request. */
export interface GivenRequest {
  readonly params?: Texts;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export type SentRequest = readonly [endpoint: Endpoint, given: GivenRequest];

type Texts = Readonly<Record<string, string>>;

const gone = 'a deletion is final';
const begun = 'a started task cannot be undone; it can be cancelled';

/** Inverses by endpoint, or the reason for their absence. Endpoints that only read are left out. */
export const inverses: ReadonlyMap<Endpoint, Inverse | string> = new Map<
  Endpoint,
  Inverse | string
>([
  [rules.set, setsBack(rules.get, rules.set)],
  [
    rules.setDefault,
    {
      state: () => [rules.get, { params: { dataSource: '_default' } }],
      undo: (_, before) => [[rules.setDefault, { body: before ?? [] }]],
    },
  ],
  [
    config.set,
    {
      state: () => [config.get, {}],
      undo: (given, before) => [[config.set, { body: fieldsOf(given.body, before) }]],
      leaves: (given, before) => [
        ...newFields(given.body, before, 'svcctl config coordinator get'),
        ...('killDataSourceWhitelist' in fieldsIn(given.body)
          ? [
              {
                says: 'Segments that were deleted meanwhile stay deleted',
                see: 'svcctl tasks list --type kill',
              },
            ]
          : []),
      ],
    },
  ],
  [
    config.setBroker,
    {
      state: () => [config.getBroker, {}],
      undo: (_, before) => [[config.setBroker, { body: before ?? {} }]],
    },
  ],
  [
    workers.setConfig,
    {
      state: () => [workers.getConfig, {}],
      undo: (_, before) =>
        isObject(withoutNulls(before)) && Object.keys(Object(withoutNulls(before))).length > 0
          ? [[workers.setConfig, { body: before }]]
          : 'there was none before, and the service cannot remove one',
    },
  ],
  [workers.enable, takesTasks(workers.disable)],
  [workers.disable, takesTasks(workers.enable)],
  [middleManager.enable, thisTakesTasks(middleManager.disable)],
  [middleManager.disable, thisTakesTasks(middleManager.enable)],
  [middleManager.shutdown, begun],

  [compaction.set, setsBackCompaction(compaction.get, compaction.set, compaction.remove)],
  [compaction.remove, setsBackCompaction(compaction.get, compaction.set, compaction.remove)],
  [
    compaction.setSupervised,
    setsBackCompaction(
      compaction.getSupervised,
      compaction.setSupervised,
      compaction.removeSupervised,
    ),
  ],
  [
    compaction.removeSupervised,
    setsBackCompaction(
      compaction.getSupervised,
      compaction.setSupervised,
      compaction.removeSupervised,
    ),
  ],
  [
    compaction.setTaskSlots,
    {
      isWide: true,
      state: () => [compaction.list, {}],
      undo: (_, before) => {
        const {
          compactionTaskSlotRatio: ratio,
          maxCompactionTaskSlots: max,
          useAutoScaleSlots,
        } = fieldsIn(before);
        return [
          [
            compaction.setTaskSlots,
            { query: fieldsIn(withoutNulls({ ratio, max, useAutoScaleSlots })) },
          ],
        ];
      },
    },
  ],
  [
    compaction.setCluster,
    {
      state: () => [compaction.getCluster, {}],
      undo: (given, before) => [[compaction.setCluster, { body: fieldsOf(given.body, before) }]],
      leaves: (given, before) => newFields(given.body, before, 'svcctl compaction cluster'),
    },
  ],
  [compaction.run, begun],

  [
    lookups.set,
    {
      state: ({ params = {} }) => [lookups.get, { params }],
      undo: ({ params = {} }, before) => [lookupAs(params, before)],
    },
  ],
  [
    lookups.remove,
    {
      state: ({ params = {} }) => [lookups.get, { params }],
      undo: ({ params = {} }, before) => [lookupAs(params, before)],
    },
  ],
  [
    lookups.setAll,
    {
      isWide: true,
      state: () => [lookups.all, {}],
      undo: (_, before, after) => lookupsAs(before, after),
    },
  ],
  [
    lookups.removeTier,
    {
      isWide: true,
      state: () => [lookups.all, {}],
      undo: (_, before, after) => lookupsAs(before, after),
    },
  ],

  [
    supervisors.submit,
    {
      state: ({ body }) => [supervisors.get, { params: { supervisorId: supervisorIn(body) } }],
      undo: ({ body }, before, after) => {
        if (before === undefined)
          return [[supervisors.terminate, { params: { supervisorId: supervisorIn(body) } }]];
        return differences(before, after).length === 0
          ? []
          : [[supervisors.submit, { body: before }]];
      },
      leaves: ({ body }) => (fieldsIn(body).suspended === true ? [] : rowsStay(supervisorIn(body))),
    },
  ],
  [supervisors.suspend, reads(({ suspended }) => suspended !== true, supervisors.resume)],
  [
    supervisors.resume,
    {
      ...reads(({ suspended }) => suspended === true, supervisors.suspend),
      leaves: ({ params = {} }) => rowsStay(params.supervisorId ?? ''),
    },
  ],
  [supervisors.suspendAll, allRead(({ suspended }) => suspended !== true, supervisors.resume)],
  [supervisors.resumeAll, allRead(({ suspended }) => suspended === true, supervisors.suspend)],
  [
    supervisors.terminate,
    {
      state: ({ params = {} }) => [supervisors.get, { params }],
      undo: (_, before) => (before === undefined ? [] : [[supervisors.submit, { body: before }]]),
    },
  ],
  [
    supervisors.terminateAll,
    {
      isWide: true,
      state: () => [supervisors.list, { query: { full: true } }],
      undo: (_, before) =>
        itemsIn(before).flatMap((item) =>
          isObject(item) && item.spec ? [[supervisors.submit, { body: item.spec }]] : [],
        ),
    },
  ],
  ...[supervisors.reset, supervisors.resetOffsets, supervisors.resetToLatest].map(
    (endpoint) => [endpoint, 'the previous offsets are lost; reset-offsets sets new ones'] as const,
  ),
  [supervisors.handOff, begun],

  [
    segments.markUsed,
    {
      state: oneSegment,
      undo: ({ params = {} }, before) => (before ? [] : [[segments.markUnused, { params }]]),
      madeAnyway: segmentsUsedAnyway(),
    },
  ],
  [
    segments.markUnused,
    {
      state: oneSegment,
      undo: ({ params = {} }, before) => (before ? [[segments.markUsed, { params }]] : []),
    },
  ],
  ...[segments.markSomeUsed, segments.markAllUsed].map(
    (endpoint) =>
      [
        endpoint,
        { ...marksBack(segments.markSomeUnused, 'after'), madeAnyway: segmentsUsedAnyway() },
      ] as const,
  ),
  [segments.markSomeUnused, marksBack(segments.markSomeUsed, 'before')],
  [
    segments.markAllUnused, // with kill, it deletes unused segments
    {
      ...marksBack(segments.markSomeUsed, 'before'),
      unless: ({ query = {} }) => (query.kill ? gone : undefined),
    },
  ],
  [segments.kill, gone],

  [authentication.createUser, inverseOfCreate(authentication.deleteUser)],
  [authentication.deleteUser, 'the password is lost: create the user again with a new one'],
  [authentication.setPassword, 'the previous password is unknown'],
  [authorization.createUser, inverseOfCreate(authorization.deleteUser)],
  [
    authorization.deleteUser,
    {
      state: ({ params = {} }) => [authorization.user, { params }],
      undo: ({ params = {} }, before) => [
        [authorization.createUser, { params }],
        ...namesIn(fieldsIn(before).roles).map(
          (role): SentRequest => [authorization.assignRole, { params: { ...params, role } }],
        ),
      ],
    },
  ],
  [authorization.assignRole, grants(authorization.user, authorization.unassignRole, false)],
  [authorization.unassignRole, grants(authorization.user, authorization.assignRole, true)],
  [
    authorization.assignGroupRole,
    grants(authorization.groupMapping, authorization.unassignGroupRole, false),
  ],
  [
    authorization.unassignGroupRole,
    grants(authorization.groupMapping, authorization.assignGroupRole, true),
  ],
  [authorization.createRole, inverseOfCreate(authorization.deleteRole)],
  [
    authorization.deleteRole,
    {
      state: ({ params = {} }) => [authorization.role, { params, query: { full: true } }],
      undo: ({ params = {} }, before) => {
        const { permissions, users, groups } = fieldsIn(before);
        return [
          [authorization.createRole, { params }],
          [authorization.setPermissions, { params, body: itemsIn(permissions).map(asGiven) }],
          ...namesIn(users).map(
            (username): SentRequest => [
              authorization.assignRole,
              { params: { ...params, username } },
            ],
          ),
          ...namesIn(groups).map(
            (groupMapping): SentRequest => [
              authorization.assignGroupRole,
              { params: { ...params, groupMapping } },
            ],
          ),
        ];
      },
    },
  ],
  [
    authorization.setPermissions,
    {
      state: ({ params = {} }) => [authorization.permissions, { params }],
      undo: ({ params = {} }, before) => [
        [authorization.setPermissions, { params, body: itemsIn(before).map(asGiven) }],
      ],
    },
  ],
  [authorization.createGroupMapping, inverseOfCreate(authorization.deleteGroupMapping)],
  [
    authorization.deleteGroupMapping,
    {
      state: ({ params = {} }) => [authorization.groupMapping, { params }],
      undo: ({ params = {} }, before) => {
        const { groupPattern, roles } = fieldsIn(before);
        return [
          [
            authorization.createGroupMapping,
            { params, body: { groupPattern, roles: namesIn(roles) } },
          ],
        ];
      },
    },
  ],

  ...[tasks.submit, sql.task, statements.submit].map((endpoint) => [endpoint, begun] as const),
  ...[tasks.shutdown, tasks.shutdownAll, statements.cancel, sql.cancel, native.cancel].map(
    (endpoint) => [endpoint, 'stopped work cannot be resumed'] as const,
  ),
  ...[avatica.json, avatica.protobuf].map(
    (endpoint) => [endpoint, 'a connection is closed by its driver, or expires'] as const,
  ),
  [tasks.deletePendingSegments, gone],
]);

// The inverse for an object that is read, set and set back.
function setsBack(get: Endpoint, set: Endpoint): Inverse {
  return {
    state: ({ params = {} }) => [get, { params }],
    undo: ({ params = {} }, before) => [[set, { params, body: before ?? [] }]],
  };
}

// The Coordinator expects the datasource's name in the body, the Overlord in the path.
function setsBackCompaction(get: Endpoint, set: Endpoint, remove: Endpoint): Inverse {
  const paramsOf = ({ params = {}, body }: GivenRequest): Texts => ({
    dataSource: params.dataSource ?? String(fieldsIn(body).dataSource),
  });
  return {
    state: (given) => [get, { params: paramsOf(given) }],
    undo: (given, before) => [
      before === undefined
        ? [remove, { params: paramsOf(given) }]
        : [set, { params: paramsOf(given), body: before }],
    ],
    leaves: (given) => [
      {
        says: 'Started compaction tasks continue, and compacted segments stay compacted',
        see: commandLine`svcctl tasks list --type compact --datasource ${paramsOf(given).dataSource ?? ''}`,
      },
    ],
  };
}

function inverseOfCreate(remove: Endpoint): Inverse {
  return { undo: ({ params = {} }) => [[remove, { params }]] };
}

// Undone only if the change had an effect.
function grants(get: Endpoint, back: Endpoint, wasGranted: boolean): Inverse {
  return {
    isWide: true,
    state: ({ params: { role: _, ...params } = {} }) => [get, { params }],
    undo: ({ params = {} }, before) =>
      namesIn(fieldsIn(before).roles).includes(params.role ?? '') === wasGranted
        ? [[back, { params }]]
        : [],
  };
}

function reads(
  wasSo: (spec: Readonly<Record<string, unknown>>) => boolean,
  back: Endpoint,
): Inverse {
  return {
    state: ({ params = {} }) => [supervisors.get, { params }],
    undo: ({ params = {} }, before) =>
      isObject(before) && wasSo(before) ? [[back, { params }]] : [],
  };
}

function allRead(
  wasSo: (supervisor: Readonly<Record<string, unknown>>) => boolean,
  back: Endpoint,
): Inverse {
  return {
    isWide: true,
    state: () => [supervisors.list, { query: { state: true } }],
    undo: (_, before) =>
      itemsIn(before).flatMap((item) =>
        isObject(item) && wasSo(item)
          ? [[back, { params: { supervisorId: String(item.id) } }]]
          : [],
      ),
  };
}

// Only changed segments are marked back: those unused before stay unused. Apache Druid reads its
// list of segments every minute, so the list after the change may be the one before it; the request
// then tells the segments, or the count in the reply tells that they are unknown.
function marksBack(back: Endpoint, side: 'before' | 'after'): Inverse {
  return {
    isWide: true,
    state: ({ params: { dataSource = '' } = {} }) => [
      metadata.segmentsOf,
      { params: { dataSource }, body: null },
    ],
    undo: ({ params: { dataSource = '' } = {}, body }, before, after, reply) => {
      const [had, has] = side === 'before' ? [before, after] : [after, before];
      const listed = without(itemsIn(had), itemsIn(has));
      const changed = changedIn(reply);
      const isStale = listed.length < changed;
      const segmentIds = isStale ? requestedIds(body, itemsIn(before), side) : listed;
      if (segmentIds.length < changed)
        return 'the service does not list the changed segments yet: mark them by their interval';
      if (segmentIds.length > mostIds)
        return `${segmentIds.length} segments are too many for the journal: mark them by their interval`;
      return segmentIds.length === 0
        ? []
        : [[back, { params: { dataSource }, body: { segmentIds } }]];
    },
  };
}

// Apache Druid 33 marks segments as used and answers 500.
function segmentsUsedAnyway(): MadeAnyway {
  return {
    state: ({ params: { dataSource = '' } = {}, body }) => {
      const { interval } = fieldsIn(body);
      return [
        metadata.unusedSegments,
        { params: { dataSource }, ...(typeof interval === 'string' && { query: { interval } }) },
      ];
    },
    replyOf: (given, before, after) => {
      const changed = without(unusedIdsIn(before), unusedIdsIn(after)).filter(isMarkedBy(given));
      return changed.length > 0
        ? { numChangedSegments: changed.length, segmentStateChanged: true }
        : undefined;
    },
  };
}

function isMarkedBy({ params: { segmentId } = {}, body }: GivenRequest) {
  const { segmentIds } = fieldsIn(body);
  return (id: unknown) =>
    segmentId !== undefined
      ? id === segmentId
      : !Array.isArray(segmentIds) || segmentIds.includes(id);
}

const unusedIdsIn = (unused: unknown) =>
  itemsIn(unused).map((item) => fieldsIn(fieldsIn(item).dataSegment).identifier);

/** The segments that a request marks, by its ids; without a selection, all that were used. */
function requestedIds(
  body: unknown,
  before: readonly unknown[],
  side: 'before' | 'after',
): readonly unknown[] {
  if (body === undefined) return side === 'before' ? before : [];
  const requested = itemsIn(fieldsIn(body).segmentIds);
  return side === 'before'
    ? without(requested, without(requested, before))
    : without(requested, before);
}

function without(all: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  const known = new Set(others);
  return all.filter((one) => !known.has(one));
}

const changedIn = (reply: unknown): number => Number(fieldsIn(reply).numChangedSegments ?? 0);

const mostIds = 10_000;

function oneSegment({ params = {} }: GivenRequest): SentRequest {
  return [metadata.segment, { params }];
}

function takesTasks(back: Endpoint): Inverse {
  return {
    isWide: true,
    state: () => [workers.list, {}],
    undo: ({ params = {} }, before, after) => {
      const states = [before, after].map((all) =>
        itemsIn(all).find((one) => fieldsIn(fieldsIn(one).worker).host === params.host),
      );
      const [was, is] = states.map((one) => withoutNulls(fieldsIn(fieldsIn(one).worker)));
      return differences(was, is).length === 0 ? [] : [[back, { params }]];
    },
  };
}

function thisTakesTasks(back: Endpoint): Inverse {
  return {
    isWide: true,
    state: () => [middleManager.enabled, {}],
    undo: (_, before, after) => (differences(before, after).length === 0 ? [] : [[back, {}]]),
  };
}

function lookupsAs(before: unknown, after: unknown): readonly SentRequest[] {
  const [was, is] = [namedLookups(before), namedLookups(after)];
  const paths = [...new Set([...was.keys(), ...is.keys()])].filter(
    (path) => differences(was.get(path), is.get(path)).length > 0,
  );
  return paths.map((path) =>
    lookupAs(
      { tier: path.split('/')[0] ?? '', lookup: path.slice(path.indexOf('/') + 1) },
      was.get(path),
    ),
  );
}

const lookupAs = (params: Texts, before: unknown): SentRequest =>
  before === undefined ? [lookups.remove, { params }] : [lookups.set, { params, body: before }];

const namedLookups = (tiers: unknown) =>
  new Map(
    Object.entries(fieldsIn(tiers)).flatMap(([tier, named]) =>
      Object.entries(fieldsIn(named)).map(([name, lookup]) => [`${tier}/${name}`, lookup] as const),
    ),
  );

// The previous values of the changed fields. New fields cannot be removed from an object that is
// updated field by field.
const fieldsOf = (given: unknown, before: unknown) =>
  Object.fromEntries(
    Object.entries(fieldsIn(withoutNulls(before))).filter(([name]) => name in fieldsIn(given)),
  );

// The new fields of an object that is updated field by field: they cannot be removed.
function newFields(given: unknown, before: unknown, see: string): readonly Remainder[] {
  const had = fieldsIn(withoutNulls(before));
  const names = Object.keys(fieldsIn(given)).filter((name) => !(name in had));
  return names.map((name) => ({
    says: `Field [${name}] had no value before, and keeps the one it has now`,
    see,
  }));
}

const rowsStay = (supervisorId: string): readonly Remainder[] => [
  {
    says: `Rows that supervisor [${supervisorId}] has read since then stay in its datasource`,
    see: commandLine`svcctl supervisors history ${supervisorId}`,
  },
];

const fieldsIn = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? value : {};
const itemsIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const namesIn = (value: unknown): readonly string[] =>
  itemsIn(value).map((item) => String(isObject(item) ? item.name : item));

function supervisorIn(body: unknown): string {
  const { id, spec } = fieldsIn(body);
  return String(id ?? fieldsIn(fieldsIn(spec).dataSchema).dataSource ?? '');
}

function asGiven(permission: unknown): unknown {
  const { resource, action } = fieldsIn(fieldsIn(permission).resourceAction ?? permission);
  const { name, type } = fieldsIn(resource);
  return { resource: { name, type }, action };
}
