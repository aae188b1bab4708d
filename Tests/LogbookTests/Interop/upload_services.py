#!/usr/bin/env python3
"""A web server that imitates the Concept2 Logbook, intervals.icu, Strava and a receiver of Standard Webhooks.

  upload_services.py     prints `port NUMBER`, and ends at the end of its standard input

The services are below /concept2, /intervals, /strava and /webhook; they also refuse unknown fields. Tests prepare
faults and read the stored data below /control, in JSON.
"""
import base64
import datetime
import hashlib
import hmac
import io
import json
import re
import secrets
import sys
import threading
import time
import urllib.parse
import zoneinfo
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import fitdecode

# Protects everything that requests change.
lock = threading.Lock()
faults, request_log, uploads, results, deliveries = [], [], [], {}, {}
activities = {"intervals": [], "strava": []}
# The calendar of each user of intervals.icu.
calendars = {}
secret = {"client": "s3cret", "intervals": "icu-key", "webhook": None}
# Seconds by which the clock of the webhook's receiver is ahead, like the clock of a test.
clock = {"ahead_s": 0}


class Reply(Exception):
    """An answer; raised to refuse a request."""
    def __init__(self, status, body=None, headers=()):
        self.status, self.body, self.headers = status, body, dict(headers)


# Returns the parameters that occur once and are not empty.
unique_values = lambda text: {name: found[0] for name, found in urllib.parse.parse_qs(text).items() if len(found) == 1}


class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.headers, self.body = method, headers, body
        self.path, _, self.query_text = target.partition("?")
        self.query = unique_values(self.query_text)
        self.kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
        self.scheme, _, self.credentials = headers.get("Authorization", "").partition(" ")
        self.form = unique_values(body.decode(errors="replace")) if self.kind.endswith("x-www-form-urlencoded") else {}

    def parts(self):
        """Returns name, file name and bytes of each part; nothing if the body is not whole multipart/form-data."""
        head = f"Content-Type: {self.headers.get('Content-Type', '')}\r\n\r\n".encode()
        message = BytesParser(policy=HTTP).parsebytes(head + self.body)
        parts = list(message.iter_parts()) if self.kind == "multipart/form-data" and not message.defects else []
        if any(part.defects or part.get_content_disposition() != "form-data" for part in parts):
            return []
        name = lambda part: part.get_param("name", header="content-disposition")
        return [(name(part), part.get_filename(), part.get_payload(decode=True)) for part in parts]


class TokenStore:
    """The tokens of a service. `refuse` makes the answer to a wrong parameter; `consent` is the user's choice."""
    def __init__(self, client, lifetime, default, scopes, refuse):
        self.client, self.lifetime, self.default, self.scopes = client, lifetime, set(default.split()), scopes.split()
        self.refuse, self.consent, self.access, self.refresh, self.codes = refuse, {}, {}, {}, {}

    def issue(self, grant, lifetime):
        access, refresh = secrets.token_hex(20), secrets.token_hex(20)
        self.access[access] = grant | {"expires": time.time() + lifetime}
        self.refresh[refresh] = grant | {"access": access}
        return {"access_token": access, "refresh_token": refresh}

    def grant(self, request):
        grant = self.access.get(request.credentials if request.scheme == "Bearer" else None)
        return grant if grant and grant["expires"] > time.time() else None

    def authorize(self, request):
        """Redirects as after the user's choice."""
        query, consent, code = request.query, self.consent, secrets.token_hex(20)
        scopes, uri = query.get("scope", "").split(","), query.get("redirect_uri", "")
        for name, right in {"client_id": query.get("client_id") == self.client, "redirect_uri": "://" in uri,
                            "response_type": query.get("response_type") == "code",
                            "scope": set(scopes) <= set(self.scopes)}.items():
            if not right:
                raise self.refuse(name)
        granted = consent.get("scope", ",".join(scopes))
        answer = {"code": code} | ({"scope": granted} if self is strava else {})
        if consent.get("deny") in (None, "0", False):
            self.codes[code] = {"user": int(consent.get("user", 1)), "scopes": set(granted.split(",")), "uri": uri}
        else:
            answer = {"error": "access_denied"}
        answer |= {"state": query["state"]} if "state" in query else {}
        return Reply(302, None, {"Location": uri + ("&" if "?" in uri else "?") + urllib.parse.urlencode(answer)})

    def token(self, request):
        form, logbook = request.form, self is concept2
        kind = {"authorization_code": "code", "refresh_token": "refresh_token"}.get(form.get("grant_type"))
        needed = ["client_id", "client_secret", kind] + ["scope"] * logbook + ["redirect_uri"] * (
            logbook and kind == "code")
        if missing := [name for name in needed if name not in form] if kind else ["grant_type"]:
            raise self.refuse(missing[0])
        if (form["client_id"], form["client_secret"]) != (self.client, secret["client"]):
            raise self.refuse("", 401)
        grant = self.codes.pop(form[kind], None) if kind == "code" else self.refresh.get(form[kind])
        if not grant:
            raise self.refuse(kind, 404)
        scopes = set(form["scope"].split(",")) if logbook else grant["scopes"]
        if not scopes <= grant["scopes"] or (logbook and grant.get("uri") != form.get("redirect_uri")):
            raise self.refuse("redirect_uri" if scopes <= grant["scopes"] else "scope")
        self.refresh.pop(form[kind], None)
        if logbook:
            self.access.pop(grant.get("access"), None)
        pair = self.issue({"user": grant["user"], "scopes": scopes}, self.lifetime)
        more = {} if logbook else {"expires_at": int(time.time()) + self.lifetime} | (
            {"athlete": {"id": grant["user"], "firstname": f"Rower {grant['user']}"}} if kind == "code" else {})
        return Reply(200, pair | more | {"token_type": "Bearer", "expires_in": self.lifetime})


concept2_error = lambda status, message, **more: Reply(status, {"message": message, "status_code": status, **more})


def refuse_concept2(name, status=400):
    if (name, status) == ("refresh_token", 404):
        return concept2_error(400, "The refresh token is invalid.")
    if status == 401:
        return Reply(401, {"error": "invalid_credentials", "error_description": "The user credentials were incorrect."})
    return Reply(400, {"error": "invalid_request", "error_description": (
        "The request is missing a required parameter, includes an invalid parameter value, includes a parameter "
        f'more than once, or is otherwise malformed. Check the "{name}" parameter.')})


def strava_fault(status, resource, field, code="invalid"):
    message = {400: "Bad Request", 401: "Authorization Error", 404: "Record Not Found"}[status]
    return Reply(status, {"message": message, "errors": [{"resource": resource, "field": field, "code": code}]})


concept2 = TokenStore("club", 604800, "user:read results:write", "user:read user:write results:read results:write",
                      refuse_concept2)
intervals = TokenStore("", 10**9, "ACTIVITY:WRITE CALENDAR:READ", "", None)
strava = TokenStore(
    "12345", 21600, "read activity:write", "read read_all profile:read_all profile:write activity:read "
    "activity:read_all activity:write", lambda name, status=400: strava_fault(
        401 if status == 401 else 400, "RefreshToken" if name == "refresh_token" else "Application", name))
services = {"concept2": concept2, "intervals": intervals, "strava": strava}

TIMEZONES = zoneinfo.available_timezones() - {"localtime", "Factory"}
text = lambda value: isinstance(value, str)
whole = lambda low=0, high=10**9: lambda value: type(value) is int and low <= value <= high
all_whole = lambda names: {name: whole() for name in names.split()}
one_of = lambda values: lambda value: text(value) and value in values.split()
# A rule is a predicate, a list with the rule of its elements, or the members of an object; "!" marks required ones.
TARGETS = {"pace": whole(), "watts": whole(high=999), "calories": whole(high=9999), "stroke_rate": whole(high=255),
           "heart_rate_zone": whole(high=5)}
SPLIT = all_whole("distance! time! stroke_rate calories_total wattminutes_total") | {
    "heart_rate": all_whole("average min max ending rest recovery")}
INTERVAL = SPLIT | all_whole("rest_time! rest_distance") | {
    "type!": one_of("time distance calorie wattminute"), "machine": one_of("skierg rower bike"), "targets": TARGETS}
RESULT = all_whole("stroke_rate stroke_count calories_total wattminutes_total drag_factor rest_distance rest_time") | {
    "type!": one_of("rower skierg bike dynamic slides paddle water snow rollerski multierg"),
    "date!": lambda value: text(value) and parse_date(value) is not None,
    "timezone": lambda value: text(value) and value in TIMEZONES,
    "distance!": whole(1), "time!": whole(1), "weight_class": one_of("H L"), "verification_code": text,
    "comments": lambda value: value is None or text(value), "verified": lambda value: type(value) is bool,
    "privacy": one_of("private partners logged_in everyone"), "workout_type": one_of(
        "unknown JustRow FixedDistanceSplits FixedTimeSplits FixedCalorie FixedWattMinute FixedTimeInterval "
        "FixedDistanceInterval FixedCalorieInterval FixedWattMinuteInterval VariableInterval "
        "VariableIntervalUndefinedRest"),
    "heart_rate": all_whole("average min max ending recovery"), "stroke_data": [all_whole("t d p spm hr")],
    "workout": {"splits": [SPLIT], "intervals": [INTERVAL], "targets": TARGETS},
    "metadata": {"hr_type": one_of("BT ANT Apple")} | dict.fromkeys((
        "client_version", "pm_version", "firmware_version", "serial_number", "device", "device_os",
        "device_os_version", "erg_model_type", "other"), lambda value: type(value) in (str, int))}


def parse_date(value):
    try:
        right = re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2})?", value)
        return datetime.datetime.fromisoformat(value) if right else None
    except ValueError:
        return None


def rule_errors(value, rule, path=""):
    """Yields the path and the message of each member that breaks its rule."""
    below = lambda name: f"{path}.{name}".strip("!.")
    if callable(rule):
        if not rule(value):
            yield path, f"Please enter the {path} in the documented form and range."
    elif not isinstance(value, type(rule)):
        yield path, f"The {path} must be an {'array' if isinstance(rule, list) else 'object'}."
    elif isinstance(rule, list):
        for number, element in enumerate(value):
            yield from rule_errors(element, rule[0], below(number))
    else:
        for name in value.keys() - {name.rstrip("!") for name in rule}:
            yield below(name), f"The {below(name)} field is unknown."
        for name, inner in rule.items():
            if name.rstrip("!") in value:
                yield from rule_errors(value[name.rstrip("!")], inner, below(name))
            elif name.endswith("!"):
                yield below(name), f"The {below(name)} field is required."


def relation_errors(body, date):
    """Returns the errors between the fields of a result whose fields are right."""
    kind, workout, now = body.get("workout_type"), body.get("workout", {}), datetime.datetime.now(datetime.timezone.utc)
    spans, plain = workout.get("intervals", []), kind and "Interval" not in kind
    fixed = {"targets", "rest_distance"} if kind and not kind.startswith("Variable") else set()
    refused = fixed | ({"machine"} if body["type"] != "multierg" else set())
    wrong = {
        "date": date - now >= datetime.timedelta(days=3),
        "weight_class": body["type"] in ("rower", "dynamic", "slides") and "weight_class" not in body,
        "rest_time": plain and {"rest_time", "rest_distance"} & body.keys(),
        "workout.splits": "splits" in workout and ("intervals" in workout or (kind and not plain)),
        "workout.intervals": ("intervals" in workout and plain) or any(span.keys() & refused for span in spans),
        "workout.targets": any(len(part.get("targets", {}).keys() & {"pace", "watts", "calories"}) > 1
                               for part in [workout, *spans])}
    messages = {"date": "The date of the workout is too far in the future."}
    return [(path, messages.get(path, f"The {path} does not fit the other fields.")) for path in wrong if wrong[path]]


def concept2_user(request, scope, owner):
    if not (grant := concept2.grant(request)):
        raise concept2_error(401, "Invalid OAuth access token")
    if not grant["scopes"] & {scope, scope.replace("read", "write")} or owner not in ("me", str(grant["user"])):
        raise concept2_error(403, "User does not have rights to this resource")
    return {"id": grant["user"], "username": f"rower{grant['user']}"}


def concept2_results(request, owner):
    user = concept2_user(request, "results:write", owner)["id"]
    try:
        body = json.loads(request.body) if request.kind == "application/json" else {}
    except ValueError:
        raise concept2_error(400, "The body is not JSON.") from None
    errors = list(rule_errors(body, RESULT))
    if not errors:
        date, zone = parse_date(body["date"]), zoneinfo.ZoneInfo(body.get("timezone", "UTC"))
        utc = date.replace(tzinfo=zone).astimezone(datetime.timezone.utc)
        errors = relation_errors(body, utc)
    if errors:
        listed = {path: [message for p, message in errors if p == path] for path, _ in errors}
        raise concept2_error(422, "Could not create new result.", errors=listed)
    key = (user, date, body["time"], body["distance"])
    if key in results:
        raise Reply(409, {"message": "Duplicate Result", "id": results[key]["id"], "status": 409})
    results[key] = {"id": 85560 + len(results), "user_id": user, "body": body}
    minutes, tenths = divmod(body["time"], 600)
    clock = f"{minutes // 60}:{minutes % 60:02}" if minutes >= 60 else minutes
    names = ("timezone", "distance", "type", "time", "workout_type", "weight_class", "comments")
    return Reply(201, {"data": {name: body.get(name) for name in names} | {
        "id": results[key]["id"], "user_id": user, "date": str(date), "verified": False, "ranked": False,
        "date_utc": f"{utc:%Y-%m-%d %H:%M:%S}" if "timezone" in body else None, "source": "Club",
        "time_formatted": f"{clock}:{tenths / 10:04.1f}", "stroke_data": "stroke_data" in body}})


def read_fit(data):
    """Returns the values of the first session of an activity, or raises ValueError."""
    found, check = {}, {"check_crc": fitdecode.CrcCheck.RAISE, "error_handling": fitdecode.ErrorHandling.RAISE}
    try:
        with fitdecode.FitReader(io.BytesIO(data), **check) as reader:
            for frame in filter(lambda frame: frame.frame_type == fitdecode.FIT_FRAME_DATA, reader):
                found.setdefault(frame.name, []).append({field.name: field.value for field in frame.fields})
        session, activity = found["session"][0], found["file_id"][0]["type"] == "activity"
        if not activity or not all(record["timestamp"] for record in found["record"]):
            raise ValueError("no activity with a time in every record")
        return {"start": session["start_time"].isoformat(), "distance": session.get("total_distance"),
                "time": session.get("total_timer_time")}
    # Malformed files make fitdecode raise errors of many types.
    except Exception as error:
        raise ValueError(f"The file is malformed. {error!r}") from error


def add_activity(service, user, data, name, external_id):
    """Returns the activity, and whether it is new. Raises ValueError."""
    digest, fit, stored = hashlib.sha256(data).hexdigest(), read_fit(data), activities[service]
    for old in stored:
        same = old["sha256"] == digest or (service == "strava" and old["start"] == fit["start"])
        if same and old["user_id"] == user:
            return old, False
    number = 12699650316 + len(stored)
    stored.append({"id": number if service == "strava" else f"i{number}", "user_id": user, "sha256": digest,
                   "name": name, "external_id": external_id, **fit})
    return stored[-1], True


def intervals_user(request, scope, athlete):
    grant, key = intervals.grant(request), base64.b64encode(f"API_KEY:{secret['intervals']}".encode()).decode()
    if athlete == "me" or not (grant or request.scheme == "Basic"):
        raise Reply(401, {"status": 401, "error": "Unauthorized"})
    user, permitted = (grant["user"], scope in grant["scopes"]) if grant else (1, request.credentials == key)
    if not permitted or athlete not in ("0", f"i{user}"):
        raise Reply(403, {"status": 403, "error": "Access denied"})
    return {"id": f"i{user}", "name": f"Rower {user}"}


def intervals_upload(request, athlete):
    user, parts, query = intervals_user(request, "ACTIVITY:WRITE", athlete)["id"], request.parts(), request.query
    unknown = query.keys() - {"name", "description", "device_name", "external_id", "paired_event_id"}
    if len(parts) != 1 or parts[0][0] != "file" or not (parts[0][1] or "").endswith(".fit") or unknown:
        raise Reply(422, {"status": 422, "error": "Expected one part `file` named *.fit and the known parameters"})
    try:
        activity, new = add_activity("intervals", user, parts[0][2], query.get("name"), query.get("external_id"))
    except ValueError as error:
        raise Reply(422, {"status": 422, "error": str(error)}) from None
    ids = {"icu_athlete_id": user, "id": activity["id"]}
    return Reply(201 if new else 200, ids | {"activities": [ids]})


number = lambda value: type(value) in (int, float)
flag = lambda value: type(value) is bool
MEASURE = {"value": number, "start": number, "end": number, "units": text}
STEP = {"text": text, "duration": whole(), "distance": number, "warmup": flag, "cooldown": flag, "ramp": flag,
        "freeride": flag, "until_lap_press": flag, "power": MEASURE, "hr": MEASURE, "pace": MEASURE, "cadence": MEASURE,
        "intensity": one_of("active rest warmup cooldown recovery interval other"), "reps": whole(1)}
# Added if the targets are resolved: watts, beats per minute, metres per second.
RESOLVED = {"_power": MEASURE, "_hr": MEASURE, "_pace": MEASURE}
STEP |= RESOLVED | {"steps": [STEP | RESOLVED]}
EVENT = {"id!": whole(), "category!": one_of("WORKOUT RACE_A RACE_B RACE_C NOTE PLAN HOLIDAY SICK INJURED TARGET"),
         "start_date_local!": lambda value: text(value) and re.fullmatch(
             "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}", value) is not None,
         "type": text, "name": text, "description": text, "moving_time": whole(), "distance": number, "indoor": flag,
         "time_target": whole(), "distance_target": number, "target": one_of("AUTO POWER HR PACE"),
         "hide_from_athlete": flag, "workout_doc": {
             "description": text, "duration": whole(), "distance": number, "ftp": whole(), "lthr": whole(),
             "threshold_pace": number, "pace_units": text, "target": one_of("AUTO POWER HR PACE"), "steps": [STEP]}}
EVENTS_QUERY = {"oldest", "newest", "category", "limit", "calendar_id", "ext", "resolve", "powerRange", "hrRange",
                "paceRange", "locale"}


def unresolved(value):
    if isinstance(value, list):
        return [unresolved(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {name: unresolved(inner) for name, inner in value.items() if name not in RESOLVED}


def intervals_events(request, athlete):
    user, query = intervals_user(request, "CALENDAR:READ", athlete)["id"], request.query
    if unknown := sorted(query.keys() - EVENTS_QUERY):
        raise Reply(422, {"status": 422, "error": f"Unknown parameters: {unknown}"})
    try:
        today = datetime.date.today()
        oldest = datetime.date.fromisoformat(query.get("oldest", today.isoformat()))
        newest = query.get("newest", (oldest + datetime.timedelta(days=6)).isoformat())
        days = (oldest, datetime.date.fromisoformat(newest))
    except ValueError as error:
        raise Reply(422, {"status": 422, "error": str(error)}) from None
    categories = set(query["category"].split(",")) if "category" in query else None
    found = [event for event in calendars.get(user, []) if (not categories or event["category"] in categories)
             and days[0] <= datetime.date.fromisoformat(event["start_date_local"][:10]) <= days[1]]
    return Reply(200, found if query.get("resolve") == "true" else unresolved(found))


def strava_user(request, scope):
    if not (grant := strava.grant(request)):
        raise strava_fault(401, "Athlete", "access_token")
    if scope not in grant["scopes"]:
        raise strava_fault(401, "AccessToken", f"{scope}_permission", "missing")
    return {"id": grant["user"], "firstname": f"Rower {grant['user']}"}


def strava_upload(request):
    user, parts = strava_user(request, "activity:write")["id"], request.parts()
    fields, file_name = {name: data for name, _, data in parts}, {name: file for name, file, _ in parts}.get("file")
    unknown = fields.keys() - set("file data_type external_id name description trainer commute sport_type".split())
    for name, wrong in {"file": not file_name or not fields["file"], "data_type": fields.get("data_type") != b"fit",
                        "fields": unknown or len(fields) != len(parts)}.items():
        if wrong:
            raise strava_fault(400, "Upload", name)
    # Above 2^53, which a floating-point number cannot hold.
    number, external_id = 2**53 + 1 + len(uploads), fields.get("external_id", file_name.encode()).decode()
    external_id = external_id.removesuffix(".fit") + ".fit"
    pending = {"id": number, "id_str": str(number), "external_id": external_id, "error": None,
               "status": "Your activity is still being processed.", "activity_id": None}
    final = pending | {"external_id": None, "status": "There was an error processing your activity."}
    try:
        name = fields.get("name", b"Morning Row").decode()
        activity, new = add_activity("strava", user, fields["file"], name, external_id)
        link = f"<a href='/activities/{activity['id']}' target='_blank'>{activity['name']}</a>"
        ready = pending | {"activity_id": activity["id"], "status": "Your activity is ready."}
        final = ready if new else final | {"error": f"{external_id} duplicate of {link}"}
    except ValueError as error:
        final["error"] = f"{external_id}: {error}"
    uploads.append({"user": user, "answers": [final, pending]})
    return Reply(201, pending)


def strava_poll(request, number):
    user = strava_user(request, "activity:write")["id"]
    for answers in (u["answers"] for u in uploads if (u["user"], u["answers"][0]["id_str"]) == (user, number)):
        return Reply(200, answers.pop() if len(answers) > 1 else answers[0])
    raise strava_fault(404, "Upload", "id", "not found")


def strava_limits():
    """Returns the headers with the requests of this quarter of an hour and this day (UTC)."""
    sent = [r for r in request_log if r["path"].startswith("/strava/api/v3/")]
    reads = [r for r in sent if r["method"] != "POST"]
    usage = lambda found: ",".join(str(sum(r["time"] // s == time.time() // s for r in found)) for s in (900, 86400))
    return {"X-RateLimit-Limit": "200,2000", "X-RateLimit-Usage": usage(sent),
            "X-ReadRateLimit-Limit": "100,1000", "X-ReadRateLimit-Usage": usage(reads)}


def receive_webhook(request):
    number, sent, signatures = (request.headers.get(f"webhook-{n}", "") for n in ("id", "timestamp", "signature"))
    if not re.fullmatch("[^.]+", number) or not re.fullmatch("[0-9]{1,12}", sent) or not secret["webhook"]:
        raise Reply(400, {"error": "webhook-id, webhook-timestamp or the secret is missing or malformed"})
    digest = hmac.new(secret["webhook"], f"{number}.{sent}.".encode() + request.body, "sha256").digest()
    expected = b"v1," + base64.b64encode(digest)
    matching = [hmac.compare_digest(signature.encode(), expected) for signature in signatures.split(" ")]
    if not any(matching) or abs(time.time() + clock["ahead_s"] - int(sent)) > 300:
        raise Reply(401, {"error": "The signature is wrong, or the timestamp is more than 5 minutes off"})
    new = {"id": number, "body": request.body.decode(errors="replace"), "attempts": 0}
    deliveries.setdefault(number, new)["attempts"] += 1
    return Reply(204)


def control_state(request):
    stored = {name: {"activities": found} for name, found in activities.items()}
    return Reply(200, stored | {"concept2": {"results": list(results.values())}, "requests": request_log,
                                "webhook": {"deliveries": list(deliveries.values())}})


CONTROLS = {
    "next": "path_prefix method count status headers body before delay_s close", "expire": "service",
    "revoke": "service", "webhook": "secret", "clock": "ahead_s", "token": "service expires_in scope user",
    "authorize": "service deny scope user", "events": "user events", "key": "key"}
NO_FAULT = {"path_prefix": "/", "method": None, "count": 1, "before": True, "delay_s": 0, "close": False}


def control(request, action):
    values = request.query | json.loads(request.body or b"{}")
    service = services.get(values.get("service"))
    if values.keys() - set(CONTROLS[action].split()) or (not service and "service" in CONTROLS[action]):
        raise Reply(400, {"error": f"{action} has the fields: {CONTROLS[action]}"})
    if action == "token":
        scopes = set(values["scope"].split(",")) if "scope" in values else service.default
        grant = {"user": int(values.get("user", 1)), "scopes": scopes}
        return Reply(200, service.issue(grant, int(values.get("expires_in", service.lifetime))))
    if action == "next":
        faults.append(NO_FAULT | values)
    elif action == "webhook":
        secret["webhook"] = base64.b64decode(values["secret"].removeprefix("whsec_"), validate=True)
    elif action == "events":
        if errors := list(rule_errors(values["events"], [EVENT])):
            raise Reply(400, {"error": errors})
        calendars[f"i{values.get('user', 1)}"] = values["events"]
    elif action == "key":
        secret["intervals"] = values["key"]
    elif action == "clock":
        clock["ahead_s"] = int(values["ahead_s"])
    elif action == "authorize":
        service.consent = values
    else:
        for tokens in (service.access, service.refresh, service.codes)[:1 if action == "expire" else 3]:
            tokens.clear()
    return Reply(200, {})


ROUTES = {
    "GET /concept2/oauth/authorize": concept2.authorize, "POST /concept2/oauth/access_token": concept2.token,
    "GET /concept2/api/users/(me|[0-9]+)": lambda r, who: Reply(200, {"data": concept2_user(r, "user:read", who)}),
    "POST /concept2/api/users/(me|[0-9]+)/results": concept2_results,
    "GET /intervals/api/v1/athlete/([^/]+)": lambda r, who: Reply(200, intervals_user(r, "ACTIVITY:WRITE", who)),
    "POST /intervals/api/v1/athlete/([^/]+)/activities": intervals_upload,
    "GET /intervals/api/v1/athlete/([^/]+)/events": intervals_events,
    "GET /strava/oauth/authorize": strava.authorize, "POST /strava/oauth/token": strava.token,
    "GET /strava/api/v3/athlete": lambda r: Reply(200, strava_user(r, "read")),
    "POST /strava/api/v3/uploads": strava_upload, "GET /strava/api/v3/uploads/([0-9]+)": strava_poll,
    "POST /webhook": receive_webhook, "GET /control/state": control_state,
    f"POST /control/({'|'.join(CONTROLS)})": control}


def process(request):
    for pattern, function in ROUTES.items():
        if match := re.fullmatch(pattern, f"{request.method} {request.path}"):
            try:
                return function(request, *match.groups())
            except Reply as reply:
                return reply
    known = any(re.fullmatch(pattern.partition(" ")[2], request.path) for pattern in ROUTES)
    return concept2_error(405, "Method Not Allowed") if known else concept2_error(404, "Not Found")


class Handler(BaseHTTPRequestHandler):
    protocol_version, log_message = "HTTP/1.1", lambda *arguments: None

    def handle_request(self):
        if "Transfer-Encoding" in self.headers:
            return self.send_error(411)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request, fault = Request(self.command, self.path, self.headers, body), NO_FAULT
        shown = re.sub(r"((?:code|state|\w*token|\w*secret)=)[^&]*", r"\1...", self.path)
        entry = {"method": self.command, "path": shown, "status": None, "time": time.time()}
        with lock:
            if not request.path.startswith("/control/"):
                request_log.append(entry)
                matching = (f for f in faults if f["count"] > 0 and request.path.startswith(f["path_prefix"]) and (
                    f["method"] in (None, self.command)))
                fault = next(matching, NO_FAULT)
                fault["count"] -= fault is not NO_FAULT
        time.sleep(fault["delay_s"] if fault["before"] else 0)
        with lock:
            replaced = fault["close"] or "status" in fault
            reply = Reply(500) if fault["before"] and replaced else process(request)
            if "status" in fault:
                reply = Reply(fault["status"], fault.get("body"), fault.get("headers", {}))
            if request.path.startswith("/strava/api/v3/"):
                reply.headers = strava_limits() | reply.headers
            entry["status"] = None if fault["close"] else reply.status
            body = reply.body if isinstance(reply.body, str) else "" if reply.body is None else json.dumps(reply.body)
        time.sleep(0 if fault["before"] else fault["delay_s"])
        if fault["close"]:
            self.close_connection = True
            return
        self.send_response(reply.status)
        length = {} if reply.status == 204 else {"Content-Length": len(body.encode())}
        for name, value in ({"Content-Type": "application/json"} | length | reply.headers).items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body.encode())

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"port {server.server_address[1]}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.buffer.read()
