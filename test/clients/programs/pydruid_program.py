"""pydruid: native queries, its DB API and its dialect of SQLAlchemy."""
import os
from urllib.parse import urlparse

from pydruid.client import PyDruid
from pydruid.db import connect
from pydruid.utils.aggregators import count, doublesum, filtered, longmax, longsum
from pydruid.utils.filters import Dimension, Filter
from pydruid.utils.having import Aggregation
from pydruid.utils.postaggregator import Const, Field
from sqlalchemy import MetaData, Table, cast, create_engine, distinct, func, inspect, select, types

from replies import reply

url = os.environ["DRUID_URL"]
place = urlparse(url)
day = "2015-09-12/2015-09-13"
native = PyDruid(url, "druid/v2")


def asked(method, **query):
    return getattr(native, method)(datasource="wikipedia", intervals=day, **query).result


reply("native timeseries", lambda: asked("timeseries", granularity="hour", aggregations={"edits": count("count"), "added": longsum("added")}))
reply("native timeseries with a filter and arithmetic", lambda: asked(
    "timeseries", granularity="all", filter=Dimension("channel") == "#en.wikipedia",
    aggregations={"edits": count("count"), "delta": doublesum("delta")},
    post_aggregations={"mean": Field("delta") / Field("edits"), "twice": Field("edits") * Const(2)}))
reply("native topN", lambda: asked("topn", granularity="all", dimension="page", metric="added", threshold=10, aggregations={"added": longsum("added")}))
reply("native groupBy", lambda: asked(
    "groupby", granularity="all", dimensions=["channel", "isRobot"],
    filter=(Dimension("countryName") != "Italy") & ~(Dimension("namespace") == "Talk"),
    having=(Aggregation("edits") > 500),
    aggregations={"edits": count("count"), "most": longmax("added"), "robots": filtered(Dimension("isRobot") == "true", count("robots"))},
    limit_spec={"type": "default", "limit": 20, "columns": [{"dimension": "edits", "direction": "descending", "dimensionOrder": "numeric"}]}))
reply("native groupBy with filters of every kind", lambda: asked(
    "groupby", granularity="all", dimensions=["channel"],
    filter=Filter(type="or", fields=[
        Filter(type="in", dimension="channel", values=["#fr.wikipedia", "#de.wikipedia"]),
        Filter(type="regex", dimension="channel", pattern="^#i"),
        Filter(type="bound", dimension="channel", lower="#v", upper="#z", lowerStrict=False, upperStrict=True, alphaNumeric=False)]),
    aggregations={"edits": count("count")}))
reply("native timeBoundary", lambda: native.time_boundary(datasource="wikipedia").result)
reply("native scan", lambda: asked("scan", granularity="all", limit=3, columns=["__time", "page"], order="ascending"))
reply("native frame", lambda: native.topn(
    datasource="wikipedia", intervals=day, granularity="all", dimension="channel", metric="edits", threshold=3,
    aggregations={"edits": count("count")}).export_pandas().to_dict("records"))

connection = connect(host=place.hostname, port=place.port, path="/druid/v2/sql/", scheme="http")


def rows(statement, parameters=None):
    cursor = connection.cursor()
    cursor.execute(statement, parameters)
    return {"rows": [tuple(row) for row in cursor.fetchall()], "columns": [(name, kind) for name, kind, *_ in cursor.description]}


reply("cursor", lambda: rows("SELECT channel, COUNT(*) AS edits, SUM(added) AS added FROM wikipedia GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10"))
reply("cursor with parameters", lambda: rows("SELECT COUNT(*) AS n FROM wikipedia WHERE channel = %(channel)s AND added > %(least)s", {"channel": "#it.wikipedia", "least": 100}))
reply("cursor with quotes", lambda: rows("SELECT COUNT(*) AS n FROM wikipedia WHERE page LIKE %(page)s", {"page": "%'%"}))
reply("cursor without rows", lambda: rows("SELECT page, added FROM wikipedia WHERE channel = 'none'"))
reply("cursor with times", lambda: rows("SELECT FLOOR(__time TO HOUR) AS t, COUNT(*) AS n FROM wikipedia GROUP BY 1 ORDER BY 1"))
reply("cursor of an error", lambda: rows("SELECT nothing FROM wikipedia"))

engine = create_engine(f"druid://{place.hostname}:{place.port}/druid/v2/sql/")
seen = inspect(engine)
reply("dialect: has wikipedia", lambda: "wikipedia" in seen.get_table_names())
reply("dialect: has no table", lambda: seen.has_table("nothing"))
reply("dialect: columns", lambda: sorted([each["name"], str(each["type"]), each["nullable"]] for each in seen.get_columns("wikipedia")))
reply("dialect: schemas", lambda: sorted(name for name in seen.get_schema_names()))
wikipedia = Table("wikipedia", MetaData(), autoload_with=engine)
c = wikipedia.c


def selected(statement):
    with engine.connect() as connected:
        return [list(row) for row in connected.execute(statement)]


edits = func.count().label("edits")
reply("dialect: group", lambda: selected(select(c.channel, edits, func.sum(c.added)).group_by(c.channel).order_by(edits.desc(), c.channel).limit(5)))
reply("dialect: where", lambda: selected(select(func.count()).where(c.channel.in_(["#en.wikipedia", "#fr.wikipedia"])).where(c.page.like("%s%")).where(c.cityName.isnot(None))))
reply("dialect: cast", lambda: selected(select(cast(func.sum(c.added), types.Float) / func.count())))
reply("dialect: distinct", lambda: selected(select(distinct(c.countryIsoCode)).where(c.countryIsoCode < "C").order_by(c.countryIsoCode)))
reply("dialect: having", lambda: selected(select(c.namespace, edits).group_by(c.namespace).having(func.count() > 500).order_by(edits.desc())))
sub = select(c.channel, func.sum(c.delta).label("delta")).group_by(c.channel).subquery()
reply("dialect: subquery", lambda: selected(select(func.max(sub.c.delta), func.min(sub.c.delta), func.count()).select_from(sub)))
