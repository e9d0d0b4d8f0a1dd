"""Airflow: the hooks of its provider for Druid, which query over pydruid and submit ingestion tasks."""
import json
import os
import tempfile
import time
from urllib.parse import urlparse

place = urlparse(os.environ["DRUID_URL"])
home = tempfile.TemporaryDirectory(prefix="svcctl-clients-airflow-")
os.environ.update({
    "AIRFLOW_HOME": home.name,
    "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    "AIRFLOW__LOGGING__LOGGING_LEVEL": "ERROR",
    "AIRFLOW_CONN_DRUID_BROKER_DEFAULT": f"druid://{place.hostname}:{place.port}/?endpoint=%2Fdruid%2Fv2%2Fsql%2F",
    "AIRFLOW_CONN_DRUID_INGEST_DEFAULT": f"http://{place.hostname}:{place.port}/?endpoint=druid%2Findexer%2Fv1%2Ftask",
})

from airflow.providers.apache.druid.hooks.druid import DruidDbApiHook, DruidHook  # noqa: E402

from replies import reply  # noqa: E402

hook = DruidDbApiHook()
statement = "SELECT channel, COUNT(*) AS edits, SUM(added) AS added FROM wikipedia GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5"
reply("records", lambda: hook.get_records(statement))
reply("first record", lambda: hook.get_first("SELECT COUNT(*) FROM wikipedia WHERE isRobot = 'true'"))
reply("records with parameters", lambda: hook.get_records("SELECT COUNT(*) FROM wikipedia WHERE channel = %(channel)s", {"channel": "#fr.wikipedia"}))
reply("address", lambda: hook.get_uri().replace(f"{place.hostname}:{place.port}", "HOST"))
reply("context of a query", lambda: DruidDbApiHook(context={"sqlTimeZone": "Asia/Tokyo"}).get_records(
    "SELECT TIME_FORMAT(TIME_FLOOR(__time, 'P1D'), 'yyyy-MM-dd HH:mm'), COUNT(*) FROM wikipedia GROUP BY 1 ORDER BY 1"))
reply("unknown table", lambda: hook.get_records("SELECT COUNT(*) FROM nowhere"))

table = f"airflow_{os.getpid()}_{int(time.time())}"


def task(rows, **tuning):
    return json.dumps({"type": "index_parallel", "spec": {
        "ioConfig": {"type": "index_parallel", "inputFormat": {"type": "json"},
                     "inputSource": {"type": "inline", "data": "\n".join(json.dumps(row) for row in rows)}},
        "tuningConfig": {"type": "index_parallel", "partitionsSpec": {"type": "dynamic"}, **tuning},
        "dataSchema": {"dataSource": table, "timestampSpec": {"column": "t", "format": "iso"},
                       "dimensionsSpec": {"dimensions": ["name", {"type": "long", "name": "n"}]},
                       "granularitySpec": {"segmentGranularity": "day", "rollup": False}}}})


def submit(body):
    DruidHook(timeout=1, max_ingestion_time=60).submit_indexing_job(body)


def rows_of(count):
    deadline = time.time() + 60
    while time.time() < deadline:
        try:
            rows = hook.get_records(f"SELECT name, n FROM {table} ORDER BY __time")
            if len(rows) == count:
                return rows
        except Exception:
            pass  # the table is not there yet
        time.sleep(1)
    return None


reply("task", lambda: submit(task([{"t": "2024-01-01T00:00:00Z", "name": "a", "n": 1}, {"t": "2024-01-01T01:00:00Z", "name": "b", "n": 2}])))
reply("rows of the task", lambda: rows_of(2))
reply("task that fails", lambda: submit(task([{"t": "no time", "name": "a"}], maxParseExceptions=0, logParseExceptions=True)))
reply("task that is none", lambda: submit("{"))
