"""druid-query, whose requests are packed with gzip, and pydruid's asynchronous client."""
import asyncio
import os

from druid_query.client import AsyncClient, Client
from druid_query.components import (
    aggregations, context, data_sources, dimension_specs, druid_types, extraction_functions, filters, granularities, having_specs, intervals,
    limit_specs, post_aggregations, search_query_specs, to_include, topn_metric_specs, virtual_columns)
from druid_query.queries import GroupBy, Scan, Search, SegmentMetadata, Sql, TimeBoundary, Timeseries, TopN
from pydruid.async_client import AsyncPyDruid
from pydruid.utils.aggregators import count, longsum
from pydruid.utils.filters import Dimension

from replies import reply

url = os.environ["DRUID_URL"]
source = os.environ["CLIENTS_DATASOURCE"]
client = Client(f"{url}/druid/v2/", f"{url}/druid/v2/sql/")
day = [intervals.Interval("2015-09-12", "2015-09-13")]
edits = [aggregations.Count("edits"), aggregations.LongSum("added", "added")]


def asked(name, query):
    reply(name, lambda: client.execute(query))


asked("timeseries", Timeseries(source, day, granularities.Period("PT6H", time_zone="Asia/Kolkata"), aggregations=edits))
asked("timeseries of a duration", Timeseries(source, day, granularities.Duration(21_600_000), descending=True, aggregations=edits, limit=3))
asked("timeseries of a table", Timeseries(data_sources.Table(source), day, "hour", filter=filters.Regex("page", "^[A-C]"), aggregations=edits))
asked("timeseries of a union", Timeseries(data_sources.Union([source, source]), day, "all", aggregations=edits))
for name, condition in {
    "selector": filters.Selector("channel", "#fr.wikipedia"),
    "column comparison": filters.ColumnComparison(["countryName", "regionName"]),
    "and, or, not": filters.And([filters.Or([filters.Selector("isRobot", "true"), filters.Selector("isNew", "true")]), filters.Not(filters.Selector("namespace", "Main"))]),
    "search": filters.Search("page", search_query_specs.Contains(False, "war")),
    "in": filters.In("channel", ["#fr.wikipedia", "#de.wikipedia", "none"]),
    "like": filters.Like("page", "%\\%%", "\\"),
    "bound": filters.Bound("page", "A", "B", False, True),
    "interval": filters.Interval("__time", ["2015-09-12T01:00:00Z/2015-09-12T02:30:00Z"]),
    "selector of nothing": filters.Selector("cityName", None),
}.items():
    asked(f"filter: {name}", Timeseries(source, day, "all", filter=condition, aggregations=edits))
asked("topN", TopN(source, day, "all", "user", 4, topn_metric_specs.Numeric("added"), aggregations=edits))
asked("topN of least", TopN(source, day, "all", "channel", 4, topn_metric_specs.Inverted(topn_metric_specs.Numeric("edits")), aggregations=edits))
asked("topN of names", TopN(source, day, "all", "channel", 4, topn_metric_specs.Dimension("lexicographic", "#de"), aggregations=edits))
asked("groupBy", GroupBy(
    source, day, "all", ["channel", "isRobot"], aggregations=edits, having=having_specs.GreaterThan("edits", 500),
    post_aggregations=[post_aggregations.Arithmetic("mean", "/", [post_aggregations.FieldAccess("added", "a"), post_aggregations.FieldAccess("edits", "e")])]))
asked("groupBy of an expression", GroupBy(
    source, day, "all", ["size"], aggregations=edits, virtual_columns=[virtual_columns.Expression("size", "if(added > 1000, 'large', 'small')", "STRING")]))
for name, function in {
    "substring": extraction_functions.Substring(0, 2), "strlen": extraction_functions.Strlen(), "upper": extraction_functions.Upper(),
    "regex": extraction_functions.Regex("#(..)"), "partial": extraction_functions.Partial("^#[a-e]"),
}.items():
    asked(f"dimension: {name}", GroupBy(source, day, "all", [dimension_specs.Extraction("channel", function, "x")], aggregations=edits))
asked("search", Search(source, day, search_query_specs.InsensitiveContains("bot"), limit=6, search_dimensions=["user", "comment"]))
asked("timeBoundary", TimeBoundary(source))
asked("scan", Scan(source, day, "compactedList", columns=["__time", "page", "added"], limit=4, order="ascending"))
asked("sql", Sql(f"SELECT channel, COUNT(*) AS n FROM {source} GROUP BY 1 ORDER BY 2 DESC LIMIT 4"))
asked("sql as arrays", Sql(f"SELECT FLOOR(__time TO HOUR) AS h, SUM(added) AS n FROM {source} GROUP BY 1 ORDER BY 1 LIMIT 4", "array", True))
asked("sql as lines", Sql(f"SELECT page, added FROM {source} ORDER BY __time LIMIT 2", "objectLines"))
asked("sql as CSV", Sql(f"SELECT page, added FROM {source} ORDER BY __time LIMIT 2", "csv", True))
asked("sql of an error", Sql(f"SELECT nothing FROM {source}"))
asked("no datasource", Timeseries("clients_none", day, "all", aggregations=edits))
asked("no granularity", Timeseries(source, day, "often", aggregations=edits))


async def together():
    async with AsyncClient(sql_endpoint=f"{url}/druid/v2/sql/") as other:
        queries = [Sql(f"SELECT COUNT(*) AS n FROM {source} WHERE channel LIKE '#{letter}%'") for letter in "abcdefg"]
        return await asyncio.gather(*[other.execute(query) for query in queries])


async def of_pydruid():
    other = AsyncPyDruid(url, "druid/v2")
    asked_now = [
        other.timeseries(datasource=source, granularity="all", intervals="2015-09-12/2015-09-13", aggregations={"n": count("n"), "added": longsum("added")}, filter=Dimension("channel") == channel)
        for channel in ("#en.wikipedia", "#fr.wikipedia", "none")
    ]
    return [each.result for each in [await query for query in asked_now]]


reply("asynchronous", lambda: asyncio.run(together()))
reply("pydruid, asynchronous", lambda: asyncio.run(of_pydruid()))
