// druid-query for Node: native queries as its builders write them, with older names of fields.
const { createRequire } = require('node:module');

const { Client, Query } = createRequire(`${process.env.CLIENTS_MODULES}/`)('druid-query');

const client = new Client(process.env.DRUID_URL);
const source = process.env.CLIENTS_DATASOURCE;
const day = ['2015-09-12T00:00:00Z', '2015-09-13T00:00:00Z'];

function reply(name, make) {
  return new Promise((done) => {
    const say = (line) => {
      console.log(JSON.stringify({ name, ...line }));
      done();
    };
    try {
      make().exec((error, rows) =>
        say(
          error
            ? { error: error.name, message: String(error.message).slice(0, 500) }
            : { reply: rows },
        ),
      );
    } catch (error) {
      say({ error: error.name, message: String(error.message).slice(0, 500) });
    }
  });
}

const counted = (query) =>
  query
    .dataSource(source)
    .interval(...day)
    .aggregation('count', 'edits')
    .aggregation('longSum', 'added', 'added');

async function main() {
  await reply('timeseries', () => counted(client.timeseries()).granularity('hour'));
  await reply('timeseries of a zone', () =>
    counted(client.timeseries()).granularity('period', 'PT6H', 'Asia/Kolkata'),
  );
  await reply('timeseries of a duration', () =>
    counted(client.timeseries()).granularity('duration', 21_600_000),
  );
  await reply('topN', () =>
    counted(client.topN()).granularity('all').dimension('channel').metric('edits').threshold(4),
  );
  await reply('topN of names', () =>
    counted(client.topN())
      .granularity('all')
      .dimension('channel')
      .metric('lexicographic', '#de')
      .threshold(4),
  );
  await reply('topN of an extraction', () =>
    counted(client.topN())
      .granularity('all')
      .dimension('channel', 'letters', Query.extractionFunction('regex', '#(..)'))
      .metric('added')
      .threshold(4),
  );
  await reply('groupBy', () =>
    counted(client.groupBy())
      .granularity('all')
      .dimensions('channel', 'isRobot')
      .filter('or', [
        Query.filter('selector', 'channel', '#fr.wikipedia'),
        Query.filter('regex', 'channel', '^#e[a-n]'),
      ])
      .having('greaterThan', 'edits', 100)
      .postAggregation('arithmetic', 'mean', '/', [
        Query.postAggregation('fieldAccess', 'a', 'added'),
        Query.postAggregation('fieldAccess', 'e', 'edits'),
      ])
      .limitSpec('default', 5, [Query.orderBy('edits', 'descending')]),
  );
  await reply('groupBy of nothing', () =>
    counted(client.groupBy()).granularity('all').dimensions([]),
  );
  await reply('search', () =>
    client
      .search()
      .dataSource(source)
      .granularity('all')
      .interval(...day)
      .searchDimensions('channel', 'namespace')
      .query('insensitive_contains', 'user')
      .sort('lexicographic'),
  );
  await reply('timeBoundary', () => client.timeBoundary().dataSource(source));
  await reply('a filter with a function', () =>
    counted(client.timeseries())
      .granularity('all')
      .filter('javascript', 'page', () => true),
  );
  await reply('an unknown source', () =>
    client
      .timeseries()
      .dataSource('nothing')
      .interval(...day)
      .granularity('all')
      .aggregation('count', 'edits'),
  );
}

main();
