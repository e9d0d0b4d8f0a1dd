"""hyperunique-druid, which decodes and merges the sketches of cardinality outside of Druid."""
import base64
import json
import os
from urllib.request import Request, urlopen

from hyperunique_druid import merge_estimate
from replies import reply


def sketches(column, granularity):
    query = {
        "queryType": "timeseries",
        "dataSource": os.environ["CLIENTS_DATASOURCE"],
        "intervals": ["2015/2016"],
        "granularity": granularity,
        "aggregations": [{"type": "cardinality", "name": "u", "fields": [column]}],
        "context": {"finalize": False, "skipEmptyBuckets": True},
    }
    request = Request(
        f"{os.environ['DRUID_URL']}/druid/v2",
        json.dumps(query).encode(),
        {"content-type": "application/json"},
    )
    with urlopen(request) as answer:
        return [base64.b64decode(row["result"]["u"]) for row in json.load(answer)]


for column in ("channel", "user", "page", "cityName", "added"):
    reply(f"all of {column}", lambda: merge_estimate(sketches(column, "all")))
    reply(f"hours of {column}", lambda: merge_estimate(sketches(column, "hour")))
    reply(f"bytes of {column}", lambda: [len(sketch) for sketch in sketches(column, "hour")])
