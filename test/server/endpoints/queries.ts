// SQL, statements and native queries.
import type { CasesOf, World } from './cases.ts';
import { cancelSoon, occupied, running, slowNative, slowSql } from './slow.ts';

const stranger = { by: 'stranger:stranger' };
const denied = { ...stranger, says: '{"Access-Check-Result":"Unauthorized"}' };
const ofWiki = { query: 'SELECT page FROM wiki GROUP BY 1 ORDER BY 1', resultFormat: 'array' };
const async = { executionMode: 'ASYNC' };
const unreadable = {
  body: { query: 'SELECT FROM' },
  says: "Incorrect syntax near the keyword 'FROM'",
};
const noColumn = 'SELECT MV_TO_ARRAY(UPPER(page)) FROM wiki';
const unplanned =
  'WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT * FROM t';
const wrongType = {
  text: 'SELECT 1',
  type: 'text/html;charset=iso-8859-1',
  says: 'Unsupported Content-Type: text/html',
};
const badId = {
  body: { query: 'SELECT 1', context: { ...async, sqlQueryId: 5 } },
  says: '[sqlQueryId] is not a string',
};
const replace =
  "REPLACE INTO more OVERWRITE ALL SELECT TIMESTAMP '2024-01-01' AS __time, 1 AS n PARTITIONED BY DAY";

// A statement of the administrator that has succeeded.
const done = async ({ ask }: World): Promise<string> => {
  const { queryId } = JSON.parse(
    await ask('POST /svc/v2/sql/statements', { ...ofWiki, context: async }),
  );
  for (let left = 600; left > 0; left--) {
    const { state } = JSON.parse(await ask(`GET /svc/v2/sql/statements/${queryId}`));
    if (state === 'SUCCESS') return queryId;
    await new Promise((wake) => setTimeout(wake, 50));
  }
  throw new Error('The statement took too long');
};
const ofStatement = {
  notFound: { params: { queryId: 'unheard-of' }, says: 'Query [unheard-of] was not found' },
  forbidden: async (world: World) => ({
    ...stranger,
    params: { queryId: await done(world) },
    says: 'Unauthorized',
  }),
};

export const sql: CasesOf<'sql'> = {
  query: {
    success: { body: ofWiki, shows: [['page 01'], ['page 02'], ['page 03']] },
    refusals: {
      invalidInput: unreadable,
      forbidden: { ...denied, body: ofWiki },
      runtimeFailure: { body: { query: 'SELECT 1 / (n - n) FROM wiki' }, says: 'by zero' },
      uncategorized: {
        body: { query: noColumn },
        says: 'argument should be an identifier expression',
      },
      unsupported: { body: { query: unplanned }, says: 'Unhandled Query Planning Failure' },
      unsupportedMediaType: wrongType,
      timeout: { body: { query: slowSql, context: { timeout: 100 } }, says: 'Query timeout' },
      canceled(world) {
        cancelSoon(world, '/svc/v2/sql', 'slow');
        return {
          body: { query: slowSql, context: { sqlQueryId: 'slow' } },
          says: 'Query cancelled',
        };
      },
      capacityExceeded: async (world) => ({
        url: await occupied(world),
        body: ofWiki,
        says: 'total query capacity of 1 exceeded',
      }),
    },
  },
  cancel: {
    success: async (world) => ({ params: { sqlQueryId: await running(world, '/svc/v2/sql') } }),
    refusals: {
      forbidden: async (world) => ({
        ...stranger,
        params: { sqlQueryId: await running(world, '/svc/v2/sql') },
      }),
      notFound: { params: { sqlQueryId: 'unheard-of' } },
    },
  },
  task: {
    success: { body: { query: replace }, shows: { state: 'RUNNING' } },
    refusals: {
      invalidInput: unreadable,
      forbidden: { ...stranger, body: { query: replace }, says: 'Unauthorized' },
      runtimeFailure: badId,
      uncategorized: {
        body: { query: noColumn },
        says: 'argument should be an identifier expression',
      },
      unsupported: { body: { query: unplanned }, says: 'Unhandled Query Planning Failure' },
      unsupportedMediaType: wrongType,
    },
  },
  taskEnabled: { success: { shows: { enabled: true } } },
  engines: { success: { shows: { engines: [{ name: 'native' }, { name: 'msq-task' }] } } },
  queries: { success: { shows: /^\{"queries":\[/ } },
  report: {
    success: {
      params: { sqlQueryId: 'unheard-of' },
      status: 404,
      shows: { query: null, report: null },
    },
  },
};

// As a driver sends it: a message of which the class is told.
const closing = (className: string) => String.fromCharCode(10, className.length) + className;

export const avatica: CasesOf<'avatica'> = {
  json: {
    success: {
      body: { request: 'closeConnection', connectionId: 'c' },
      shows: /"response":"closeConnection"/,
    },
  },
  protobuf: {
    success: {
      text: closing('org.apache.calcite.avatica.proto.Requests$CloseConnectionRequest'),
      type: 'application/octet-stream',
      status: 500,
      shows: /connectionId/,
    },
  },
};

export const statements: CasesOf<'statements'> = {
  enabled: { success: { shows: { enabled: true } } },
  submit: {
    success: { body: { ...ofWiki, context: async }, shows: /"state":"(ACCEPTED|RUNNING|SUCCESS)"/ },
    refusals: {
      invalidInput: { body: ofWiki, says: 'Please set [executionMode] to [ASYNC]' },
      forbidden: { ...stranger, body: { ...ofWiki, context: async }, says: 'Unauthorized' },
      runtimeFailure: badId,
      uncategorized: {
        body: { query: noColumn, context: async },
        says: 'argument should be an identifier expression',
      },
      unsupported: {
        body: { query: unplanned, context: async },
        says: 'Unhandled Query Planning Failure',
      },
      unsupportedMediaType: wrongType,
    },
  },
  status: {
    success: async (world) => ({
      params: { queryId: await done(world) },
      shows: { state: 'SUCCESS', result: { numTotalRows: 3 } },
    }),
    refusals: ofStatement,
  },
  results: {
    success: async (world) => ({
      params: { queryId: await done(world) },
      query: { resultFormat: 'csv' },
      shows: 'page 01\npage 02\npage 03',
    }),
    refusals: {
      ...ofStatement,
      invalidInput: async (world) => ({
        params: { queryId: await done(world) },
        query: { page: '7' },
        says: 'Page number [7] is out of the range',
      }),
      uncategorized: async (world) => ({
        params: { queryId: await done(world) },
        query: { resultFormat: 'x' },
        says: 'Failed to handle query',
      }),
    },
  },
  cancel: {
    // It had ended
    success: async (world) => ({ params: { queryId: await done(world) }, status: 200 }),
    refusals: ofStatement,
  },
};

export const native: CasesOf<'native'> = {
  query: {
    success: {
      body: { queryType: 'timeBoundary', dataSource: 'wiki' },
      shows: [{ result: { maxTime: '2024-01-03T00:00:00.000Z' } }],
    },
    refusals: {
      invalidInput: {
        body: { queryType: 'nonsense', dataSource: 'wiki' },
        says: "Could not resolve type id 'nonsense'",
      },
      forbidden: { ...denied, body: { queryType: 'timeBoundary', dataSource: 'wiki' } },
      runtimeFailure: {
        body: {
          queryType: 'scan',
          dataSource: 'wiki',
          intervals: ['2024/2025'],
          virtualColumns: [
            { type: 'expression', name: 'v', expression: 'n / (n - n)', outputType: 'LONG' },
          ],
          columns: ['v'],
        },
        says: 'by zero',
      },
      unsupported: {
        body: {
          queryType: 'scan',
          dataSource: 'wiki',
          intervals: ['2024/2025'],
          resultFormat: 'valueVector',
        },
        says: 'valueVector is not supported now',
      },
      timeout: { body: { ...slowNative, context: { timeout: 100 } }, says: 'Query timeout' },
      canceled(world) {
        cancelSoon(world, '/svc/v2', 'slow');
        return { body: { ...slowNative, context: { queryId: 'slow' } }, says: 'Query cancelled' };
      },
      capacityExceeded: async (world) => ({
        url: await occupied(world),
        body: { queryType: 'timeBoundary', dataSource: 'wiki' },
        says: 'total query capacity of 1 exceeded',
      }),
    },
  },
  cancel: {
    success: { params: { queryId: 'unheard-of' } },
    refusals: {
      forbidden: async (world) => ({
        ...denied,
        params: { queryId: await running(world, '/svc/v2/') },
      }),
    },
  },
  candidates: {
    success: {
      body: { queryType: 'timeBoundary', dataSource: 'wiki', intervals: ['2024-01-01/2024-01-02'] },
      shows: [{ partitionNumber: 0 }],
    },
    refusals: {
      invalidInput: {
        body: { queryType: 'nonsense', dataSource: 'wiki' },
        says: "Could not resolve type id 'nonsense'",
      },
    },
  },
};
