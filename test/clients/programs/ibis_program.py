"""ibis with its backend for Druid: a program of analysts, in the public interface."""
import os
from urllib.parse import urlparse

import ibis
from ibis import _

from replies import reply

place = urlparse(os.environ["DRUID_URL"])
backend = ibis.druid.connect(host=place.hostname, port=place.port, path="druid/v2/sql")
t = backend.table("wikipedia")


def rows(expression):
    frame = expression.to_pyarrow()
    return {"schema": [[field.name, str(field.type)] for field in frame.schema], "rows": [list(row.values()) for row in frame.to_pylist()]}


reply("tables", lambda: "wikipedia" in backend.list_tables())
reply("schema", lambda: sorted([name, str(kind)] for name, kind in t.schema().items()))
reply("count", lambda: rows(t.aggregate(n=t.count())))
reply("group", lambda: rows(t.group_by("channel").agg(n=_.count(), added=_.added.sum()).order_by(ibis.desc("n"), "channel").limit(5)))
reply("filter", lambda: rows(t.filter(_.channel == "#en.wikipedia", _.added > 100).aggregate(n=_.count(), most=_.added.max(), mean=_.added.mean())))
reply("hour", lambda: rows(t.group_by(hour=_["__time"].truncate("h")).agg(n=_.count()).order_by("hour")))
reply("parts of time", lambda: rows(t.mutate(y=_["__time"].year(), m=_["__time"].month(), d=_["__time"].day(), h=_["__time"].hour()).group_by("y", "m", "d", "h").agg(n=_.count()).order_by("h").limit(4)))
reply("text", lambda: rows(t.mutate(u=_.channel.upper(), l=_.channel.length(), s=_.channel.substr(1, 2), r=_.channel.strip()).group_by("u", "l", "s", "r").agg(n=_.count()).order_by("u").limit(5)))
reply("contains", lambda: rows(t.filter(_.page.contains("Wikipedia") & ~_.page.like("%:%")).aggregate(n=_.count())))
reply("cases", lambda: rows(t.mutate(size=ibis.cases((t.added > 1000, "large"), (t.added > 10, "middle"), else_="small")).group_by("size").agg(n=_.count()).order_by("size")))
reply("nulls", lambda: rows(t.mutate(country=_.countryName.fill_null("none")).group_by("country").agg(n=_.count()).order_by(ibis.desc("n")).limit(4)))
reply("arithmetic", lambda: rows(t.group_by("channel").agg(x=(_.added.sum() - _.deleted.sum()) / _.count(), y=(_.delta.abs() % 7).sum()).order_by("channel").limit(5)))
reply("having", lambda: rows(t.group_by("namespace").agg(n=_.count()).filter(_.n > 500).order_by("namespace")))
reply("distinct", lambda: rows(t.aggregate(n=_.channel.nunique(), c=_.countryIsoCode.nunique())))
reply("union", lambda: rows(t.filter(_.channel == "#en.wikipedia").select("channel").limit(1).union(t.filter(_.channel == "#fr.wikipedia").select("channel").limit(1)).order_by("channel")))
top = t.group_by("channel").agg(n=_.count()).order_by(ibis.desc("n")).limit(3)
reply("join", lambda: rows(t.join(top, "channel").group_by("channel").agg(n=_.n.max(), m=_.count()).order_by("channel")))
reply("in", lambda: rows(t.filter(_.channel.isin(["#it.wikipedia", "#de.wikipedia"])).group_by("channel").agg(n=_.count()).order_by("channel")))
reply("rank", lambda: rows(top.mutate(r=ibis.rank().over(order_by=ibis.desc("n"))).order_by("r")))
reply("cast", lambda: rows(t.mutate(a=_.added.cast("float64"), b=_.added.cast("string")).filter(_.added == 36).select("a", "b").distinct()))
reply("sql", lambda: rows(backend.sql("SELECT channel, COUNT(*) AS n FROM wikipedia GROUP BY 1").order_by(ibis.desc("n")).limit(2)))
