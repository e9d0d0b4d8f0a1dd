// The statements of the comparison. `approximate` names those whose answers may differ.
const year = "__time >= TIMESTAMP '1995-01-01' AND __time < TIMESTAMP '1996-01-01'";
const sums = 'SUM(l_quantity), SUM(l_extendedprice), SUM(l_discount), SUM(l_tax)';
const month = "TIME_FLOOR(__time, 'P1M')";
const top = (column, aggregates, most = 100) =>
  `SELECT ${column}, ${aggregates} FROM lineitem GROUP BY 1 ORDER BY 2 DESC LIMIT ${most}`;

export const lineitem = {
  'count over an interval':
    "SELECT COUNT(*) FROM lineitem WHERE __time >= TIMESTAMP '1993-03-15' AND __time < TIMESTAMP '1996-07-01'",
  count: 'SELECT COUNT(*) FROM lineitem',
  'first and last time': 'SELECT MIN(__time), MAX(__time) FROM lineitem',
  'sum of one column': 'SELECT SUM(l_quantity) FROM lineitem',
  'four sums': `SELECT ${sums} FROM lineitem`,
  'four sums by year': `SELECT TIME_FLOOR(__time, 'P1Y'), ${sums} FROM lineitem GROUP BY 1`,
  'four sums by day': `SELECT TIME_FLOOR(__time, 'P1D'), ${sums} FROM lineitem GROUP BY 1`,
  'four sums, LIKE': `SELECT ${sums} FROM lineitem WHERE l_shipmode LIKE '%AIR%'`,
  'four sums of a year': `SELECT ${sums} FROM lineitem WHERE ${year}`,
  'by month and ship mode': `SELECT ${month}, l_shipmode, COUNT(*), SUM(l_quantity) FROM lineitem GROUP BY 1, 2`,
  'running sum over months': `SELECT m, SUM(q) OVER (ORDER BY m) FROM (SELECT ${month} AS m, SUM(l_quantity) AS q FROM lineitem GROUP BY 1)`,
  'one part': 'SELECT COUNT(*), SUM(l_quantity) FROM lineitem WHERE l_partkey = 155190',
  'one receipt date':
    "SELECT COUNT(*), SUM(l_quantity) FROM lineitem WHERE l_receiptdate = '1996-03-22'",
  'newest 100 rows': 'SELECT * FROM lineitem ORDER BY __time DESC LIMIT 100',
  'newest 100 rows by air':
    "SELECT * FROM lineitem WHERE l_shipmode = 'AIR' ORDER BY __time DESC LIMIT 100",
  'first 100 rows': 'SELECT * FROM lineitem LIMIT 100',
  'top 100 parts': top('l_partkey', 'SUM(l_quantity)'),
  'top 100 parts, five aggregates': top('l_partkey', `${sums}, COUNT(*)`),
  'top 100 commit dates': top('l_commitdate', 'SUM(l_quantity)'),
  'top 100 suppliers': top('l_suppkey', 'SUM(l_extendedprice * (1 - l_discount))'),
  'TPC-H Q1': `SELECT l_returnflag, l_linestatus, SUM(l_quantity), SUM(l_extendedprice), SUM(l_extendedprice * (1 - l_discount)), SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)), AVG(l_quantity), AVG(l_extendedprice), AVG(l_discount), COUNT(*) FROM lineitem WHERE __time <= TIMESTAMP '1998-09-02' GROUP BY 1, 2`,
  'TPC-H Q6':
    "SELECT SUM(l_extendedprice * l_discount) FROM lineitem WHERE __time >= TIMESTAMP '1994-01-01' AND __time < TIMESTAMP '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24",
  'distinct suppliers': 'SELECT APPROX_COUNT_DISTINCT_DS_HLL(l_suppkey) FROM lineitem',
  'distinct parts by mode':
    'SELECT l_shipmode, APPROX_COUNT_DISTINCT_DS_THETA(l_partkey) FROM lineitem GROUP BY 1',
  'LIKE on comments': "SELECT COUNT(*) FROM lineitem WHERE l_comment LIKE '%furious%'",
  'one day by ship mode':
    "SELECT l_shipmode, COUNT(*) FROM lineitem WHERE __time >= TIMESTAMP '1996-03-13' AND __time < TIMESTAMP '1996-03-14' GROUP BY 1",
  'median price by mode':
    'SELECT l_shipmode, APPROX_QUANTILE_DS(l_extendedprice, 0.5) FROM lineitem GROUP BY 1',
  'by weekday': 'SELECT EXTRACT(DOW FROM __time), COUNT(*) FROM lineitem GROUP BY 1',
  'by flag, filtered sums':
    "SELECT l_returnflag, SUM(l_quantity) FILTER (WHERE l_shipmode = 'MAIL'), SUM(l_quantity) FILTER (WHERE l_shipmode = 'RAIL') FROM lineitem GROUP BY 1",
  'CASE as a key':
    "SELECT CASE WHEN l_quantity < 10 THEN 'few' WHEN l_quantity < 30 THEN 'some' ELSE 'many' END, COUNT(*) FROM lineitem GROUP BY 1",
  HAVING:
    'SELECT l_suppkey, SUM(l_quantity) FROM lineitem GROUP BY 1 HAVING SUM(l_quantity) > 16500',
  'IN of three modes':
    "SELECT l_shipmode, COUNT(*) FROM lineitem WHERE l_shipmode IN ('AIR', 'MAIL', 'SHIP') GROUP BY 1",
  'first letters':
    'SELECT SUBSTRING(l_comment, 1, 2), COUNT(*) FROM lineitem GROUP BY 1 ORDER BY 2 DESC LIMIT 20',
  'longest comment': 'SELECT MAX(CHAR_LENGTH(l_comment)) FROM lineitem',
  'share of a subquery':
    "SELECT COUNT(*) FROM lineitem WHERE l_shipmode IN (SELECT l_shipmode FROM lineitem WHERE __time < TIMESTAMP '1992-01-10' GROUP BY 1)",
};

// Estimates, the approximate groups of topN, and rows of equal times.
export const approximate = [
  'distinct suppliers',
  'distinct parts by mode',
  'median price by mode',
  'newest 100 rows',
  'newest 100 rows by air',
  'top 100 parts',
  'top 100 parts, five aggregates',
  'top 100 commit dates',
  'top 100 suppliers',
];

export const edits = {
  'edits: count': 'SELECT COUNT(*) FROM edits',
  'edits: top 10 pages': 'SELECT page, COUNT(*) FROM edits GROUP BY 1 ORDER BY 2 DESC LIMIT 10',
  'edits: by hour': "SELECT TIME_FLOOR(__time, 'PT1H'), SUM(added) FROM edits GROUP BY 1",
  'edits: by minute and channel':
    "SELECT TIME_FLOOR(__time, 'PT1M'), channel, COUNT(*) FROM edits WHERE isRobot = 'false' GROUP BY 1, 2",
  'edits: LIKE': "SELECT COUNT(*) FROM edits WHERE comment LIKE '%revert%'",
  'edits: distinct users': 'SELECT APPROX_COUNT_DISTINCT("user") FROM edits',
  'edits: newest 50 rows': 'SELECT * FROM edits ORDER BY __time DESC LIMIT 50',
  'edits: one page': "SELECT COUNT(*), SUM(added) FROM edits WHERE page = 'Jeremy Corbyn'",
};

/** What many clients ask at once: small queries of a dashboard. */
export const dashboard = [
  edits['edits: count'],
  edits['edits: by hour'],
  "SELECT channel, COUNT(*) FROM edits WHERE __time >= TIMESTAMP '2015-09-12 10:00:00' AND __time < TIMESTAMP '2015-09-12 12:00:00' GROUP BY 1 ORDER BY 2 DESC LIMIT 10",
  "SELECT SUM(added), SUM(deleted) FROM edits WHERE channel = '#en.wikipedia'",
];
