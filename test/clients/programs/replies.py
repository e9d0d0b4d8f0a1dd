"""Prints the replies of a client's calls, a JSON object a line: {"name": ..., "reply": ...}."""
import datetime
import decimal
import json
import math


def plain(value):
    """A value of a client as JSON."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if hasattr(value, "item"):
        return plain(value.item())
    return str(value)


def reply(name, call):
    """Calls, and prints what came of it; of an error its class, because its words are the service's."""
    try:
        line = {"name": name, "reply": plain(call())}
    except Exception as error:
        line = {"name": name, "error": type(error).__name__, "message": str(error)[:500]}
    print(json.dumps(line), flush=True)
