// Cube's driver: connection test, schema of tables, and rows of queries with their types.
const { createRequire } = require('node:module');

const { DruidDriver } = createRequire(`${process.env.CLIENTS_MODULES}/`)(
  '@cubejs-backend/druid-driver',
);

const driver = new DruidDriver({ url: process.env.DRUID_URL });

async function reply(name, call) {
  try {
    console.log(JSON.stringify({ name, reply: (await call()) ?? null }));
  } catch (error) {
    console.log(
      JSON.stringify({ name, error: error.name, message: String(error.message).slice(0, 500) }),
    );
  }
}

async function main() {
  await reply('test', () => driver.testConnection());
  await reply('schemas', async () => Object.keys(await driver.tablesSchema()).includes('druid'));
  await reply('columns', async () =>
    (await driver.tablesSchema()).druid.wikipedia.map(({ name, type }) => [name, type]).sort(),
  );
  await reply('rows', () =>
    driver.query(
      'SELECT channel, COUNT(*) AS n, SUM(added) AS added FROM wikipedia GROUP BY 1 ORDER BY 2 DESC LIMIT 5',
      [],
    ),
  );
  await reply('parameters', () =>
    driver.query('SELECT COUNT(*) AS n FROM wikipedia WHERE channel = ? AND page LIKE ?', [
      '#en.wikipedia',
      'A%',
    ]),
  );
  await reply('times', () =>
    driver.query(
      "SELECT DATE_TRUNC('hour', __time) AS t, COUNT(*) AS n FROM wikipedia WHERE __time >= TIME_PARSE(?) AND __time <= TIME_PARSE(?) GROUP BY 1 ORDER BY 1",
      ['2015-09-12T00:00:00.000Z', '2015-09-12T05:59:59.999Z'],
    ),
  );
  await reply('types', () =>
    driver.downloadQueryResults(
      'SELECT channel AS "c", COUNT(*) AS "n", AVG(added) AS "a", MAX(__time) AS "t" FROM wikipedia GROUP BY 1 ORDER BY 2 DESC LIMIT 3',
      [],
      {},
    ),
  );
  await reply('error', () => driver.query('SELECT nothing FROM wikipedia', []));
}

main();
