// plywood, the engine of Turnilo: introspection, and expressions that it makes into native queries.
import { createRequire } from 'node:module';

const require = createRequire(`${process.env.CLIENTS_MODULES}/`);
const { $, External, ply, r, Set: PlywoodSet } = require('plywood');
const { druidRequesterFactory } = require('plywood-druid-requester');

const requester = druidRequesterFactory({
  host: new URL(process.env.DRUID_URL).host,
  timeout: 60_000,
});
const given = {
  engine: 'druid',
  source: 'wikipedia',
  timeAttribute: '__time',
  allowSelectQueries: true,
  customAggregations: {},
  context: {},
};
const version = await External.getVersion?.(requester).catch(() => undefined);
const engine = version ?? '0.20.0'; // what native queries are written for
const wikipedia = await External.fromJS({ ...given, version: engine }, requester).introspect();

const reply = async (name, call) => {
  try {
    console.log(JSON.stringify({ name, reply: await call() }));
  } catch (error) {
    console.log(
      JSON.stringify({ name, error: error.name, message: String(error.message).slice(0, 500) }),
    );
  }
};
const day = { start: new Date('2015-09-12T00:00:00Z'), end: new Date('2015-09-13T00:00:00Z') };
const computed = async (expression) => {
  const result = await expression.compute({ wikipedia });
  return result?.toJS ? result.toJS() : result;
};
const during = $('wikipedia').filter($('__time').overlap(day));

await reply('introspection', async () =>
  wikipedia
    .toJS()
    .attributes.map(({ name, type, nativeType }) => [name, type, nativeType])
    .sort(),
);
await reply('sources', async () =>
  ((await External.getSourceList?.('druid', requester)) ?? ['wikipedia']).includes('wikipedia'),
);
await reply('totals', () =>
  computed(
    ply()
      .apply('edits', during.count())
      .apply('added', during.sum('$added'))
      .apply('most', during.max('$added')),
  ),
);
await reply('topN', () =>
  computed(
    during
      .split('$channel', 'Channel')
      .apply('edits', $('wikipedia').count())
      .sort('$edits', 'descending')
      .limit(5),
  ),
);
await reply('timeseries', () =>
  computed(
    during
      .split($('__time').timeBucket('PT1H', 'Etc/UTC'), 'Time')
      .apply('edits', $('wikipedia').count())
      .sort('$Time', 'ascending'),
  ),
);
await reply('timeseries elsewhere', () =>
  computed(
    during
      .split($('__time').timeBucket('PT6H', 'America/New_York'), 'Time')
      .apply('edits', $('wikipedia').count())
      .sort('$Time', 'ascending'),
  ),
);
await reply('split, apply, combine', () =>
  computed(
    ply()
      .apply('wikipedia', during)
      .apply('edits', '$wikipedia.count()')
      .apply(
        'Channels',
        $('wikipedia')
          .split('$channel', 'Channel')
          .apply('edits', '$wikipedia.count()')
          .sort('$edits', 'descending')
          .limit(3)
          .apply(
            'Pages',
            $('wikipedia')
              .split('$page', 'Page')
              .apply('added', '$wikipedia.sum($added)')
              .sort('$added', 'descending')
              .limit(2),
          ),
      ),
  ),
);
await reply('two dimensions', () =>
  computed(
    during
      .split({ Channel: '$channel', Namespace: '$namespace' })
      .apply('edits', $('wikipedia').count())
      .sort('$edits', 'descending')
      .limit(5),
  ),
);
await reply('filters', () =>
  computed(
    ply().apply(
      'n',
      during
        .filter(
          $('channel')
            .in(PlywoodSet.fromJS(['#en.wikipedia', '#fr.wikipedia']))
            .and($('page').contains('a', 'ignoreCase'))
            .and($('added').greaterThan(10)),
        )
        .count(),
    ),
  ),
);
await reply('matches', () =>
  computed(ply().apply('n', during.filter($('page').match('^[A-C].*s$')).count())),
);
await reply('filtered measures', () =>
  computed(
    during
      .split('$namespace', 'Namespace')
      .apply(
        'robots',
        $('wikipedia')
          .filter($('isRobot').is(r('true')))
          .count(),
      )
      .apply(
        'share',
        $('wikipedia')
          .filter($('isRobot').is(r('true')))
          .count()
          .divide($('wikipedia').count()),
      )
      .sort('$robots', 'descending')
      .limit(4),
  ),
);
await reply('number buckets', () =>
  computed(
    during
      .split($('added').numberBucket(1000), 'Added')
      .apply('edits', $('wikipedia').count())
      .sort('$Added', 'ascending')
      .limit(6),
  ),
);
await reply('expressions', () =>
  computed(
    during
      .split($('page').substr(0, 1), 'Letter')
      .apply('edits', $('wikipedia').count())
      .sort('$edits', 'descending')
      .limit(5),
  ),
);
await reply('hours of the day', () =>
  computed(
    during
      .split($('__time').timePart('HOUR_OF_DAY', 'Etc/UTC'), 'Hour')
      .apply('edits', $('wikipedia').count())
      .sort('$Hour', 'ascending')
      .limit(24),
  ),
);
await reply('nulls', () =>
  computed(ply().apply('n', during.filter($('countryName').is(null)).count())),
);
await reply('select', () =>
  computed(
    during
      .filter($('user').is('Kolbertbot'))
      .select('channel', 'page', 'added')
      .sort('$page', 'ascending')
      .limit(3),
  ),
);
