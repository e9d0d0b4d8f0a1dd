"""druiddb, a DB-API over SQL."""
import os
from urllib.parse import urlparse

from druiddb import db
from replies import reply

source = os.environ["CLIENTS_DATASOURCE"]
url = urlparse(os.environ["DRUID_URL"])
connection = db.connect(host=url.hostname, port=url.port)

QUERIES = {
    "channels": (
        f'SELECT channel, COUNT(*) AS c FROM "{source}" GROUP BY 1 ORDER BY 2 DESC LIMIT 5',
        None,
    ),
    "rows": (
        f"""SELECT __time, page, "user", added FROM "{source}" WHERE page LIKE 'War%%'
        ORDER BY __time LIMIT 3""",
        {},
    ),
    "parameters": (
        f'SELECT COUNT(*) FROM "{source}" WHERE channel = %(channel)s AND added > %(added)s',
        {"channel": "#en.wikipedia", "added": 10},
    ),
    "extremes": (f'SELECT MAX(__time), MIN(added), AVG(delta) FROM "{source}"', None),
    "constants": ("SELECT 1 AS a, NULL AS b, TRUE AS c, 1.5 AS d", None),
    "schema": (
        """SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES
        WHERE TABLE_SCHEMA = 'INFORMATION_SCHEMA' ORDER BY 1""",
        None,
    ),
    "no rows": (f'SELECT page FROM "{source}" WHERE 1 = 0', None),
    "unknown table": ("SELECT nothing FROM nowhere", None),
    "wrong syntax": ("SELEC", None),
}


def rows(query, parameters):
    cursor = connection.cursor()
    cursor.execute(query, parameters)
    found = [list(row) for row in cursor.fetchall()]
    return {"rows": found, "description": [list(map(str, each)) for each in cursor.description]}


for name, (query, parameters) in QUERIES.items():
    reply(name, lambda: rows(query, parameters))
