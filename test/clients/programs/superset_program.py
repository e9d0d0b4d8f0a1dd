"""The SQL of Superset's charts over its engine for Druid, through the same dialect of SQLAlchemy: every time grain, with the statements that its explorer writes."""
import os
from urllib.parse import urlparse

from sqlalchemy import create_engine, text

from replies import reply

place = urlparse(os.environ["DRUID_URL"])
engine = create_engine(f"druid://{place.hostname}:{place.port}/druid/v2/sql/")
time = "CAST(__time AS TIMESTAMP)"
periods = ["PT1S", "PT5S", "PT30S", "PT1M", "PT5M", "PT10M", "PT15M", "PT30M", "PT1H", "PT6H", "P1D", "P1W", "P1M", "P3M", "P1Y"]
grains = {"none": time, **{period: f"TIME_FLOOR({time}, '{period}')" for period in periods}}
grains["week ending on Saturday"] = f"TIME_SHIFT(TIME_FLOOR(TIME_SHIFT({time}, 'P1D', 1), 'P1W'), 'P1D', 5)"
grains["week starting on Sunday"] = f"TIME_SHIFT(TIME_FLOOR(TIME_SHIFT({time}, 'P1D', 1), 'P1W'), 'P1D', -1)"
inside = "__time >= TIME_PARSE('2015-09-12T00:00:00') AND __time < TIME_PARSE('2015-09-13T00:00:00')"


def rows(statement):
    with engine.connect() as connected:
        result = connected.execute(text(statement))
        return {"columns": list(result.keys()), "rows": [list(row) for row in result]}


for name, grain in grains.items():
    reply(f"line by {name}", lambda: rows(
        f'SELECT {grain} AS __timestamp, COUNT(*) AS "count", SUM(added) AS "SUM(added)"\nFROM druid.wikipedia\nWHERE {inside}\n'
        f"GROUP BY {grain}\nORDER BY {grain} ASC\nLIMIT 40"))
    reply(f"series by {name}", lambda: rows(
        f'SELECT {grain} AS __timestamp, channel AS channel, COUNT(DISTINCT namespace) AS "namespaces"\nFROM druid.wikipedia\n'
        f'JOIN (SELECT channel AS channel__, COUNT(*) AS mme_inner__ FROM druid.wikipedia WHERE {inside} GROUP BY channel ORDER BY mme_inner__ DESC LIMIT 3) AS anon_1\n'
        f"ON channel = channel__\nWHERE {inside}\nGROUP BY {grain}, channel\nORDER BY {grain} ASC, channel ASC\nLIMIT 40"))
reply("table", lambda: rows(f'SELECT channel AS channel, AVG(added) AS "AVG(added)" FROM druid.wikipedia WHERE {inside} AND NOT (isRobot = \'true\') GROUP BY channel ORDER BY "AVG(added)" DESC LIMIT 10'))
reply("big number", lambda: rows(f'SELECT COUNT(*) AS "count" FROM druid.wikipedia WHERE {inside} LIMIT 50000'))
reply("filter box", lambda: rows("SELECT DISTINCT countryName AS countryName FROM druid.wikipedia ORDER BY countryName LIMIT 20"))
reply("virtual dataset", lambda: rows('SELECT channel AS channel, sum(n) AS "sum__n" FROM (SELECT channel, COUNT(*) AS n FROM wikipedia GROUP BY 1) AS virtual_table GROUP BY channel ORDER BY "sum__n" DESC LIMIT 5'))
reply("adhoc column", lambda: rows('SELECT CASE WHEN added > 100 THEN \'many\' ELSE \'few\' END AS "size", COUNT(*) AS "count" FROM druid.wikipedia GROUP BY CASE WHEN added > 100 THEN \'many\' ELSE \'few\' END ORDER BY "count" DESC LIMIT 10'))
